"""A pipe under the name of a file that row3 reads: refused with one message, and never waited for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.projects import Box

PATIENCE_S = 30
WAYS = [
    ("golden/bread/rye.gold.json", ["", "--compare --against HEAD"]),
    ("prompts/extract-v1.1.md", ["promote v1.1"]),
    ("prompts/promoted.json", ["--compare"]),
    ("recordings/bread/extract-v1.1.jsonl", ["--compare", "recordings verify", "lint"]),
    ("baselines/bread.json", ["--compare", "report"]),
    ("metrics-history.json", ["--compare", "history"]),
    ("row3.toml", ["", "lint"]),
    ("CHANGELOG.md", ["lint", "promote v1.1"]),
    ("golden/bread/quarantine.json", ["lint"]),
]


@pytest.mark.parametrize(("file", "args"), [(file, args) for file, each in WAYS for args in each])
def test_a_pipe_is_refused_with_one_message(box: Box, file: str, args: str) -> None:
    path = box.path(file)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    done = subprocess.run(
        [sys.executable, "-m", "row3", *args.split()],
        cwd=box.root,
        env=box.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    said = done.stdout if args == "lint" else done.stderr
    assert done.returncode == 2, done
    assert said.count("pipe, a socket or a device") == 1, said
    assert file in said
    assert "Traceback" not in done.stderr


def test_responses_may_come_from_a_pipe(box: Box) -> None:
    line = '{"caseId": "rye", "prompt": "extract-v1.1", "response": "{}"}'
    command = f"{sys.executable} -m row3 recordings import <(echo '{line}')"
    done = subprocess.run(["bash", "-c", command], cwd=box.root, env=box.env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
