"""What the pages show of `make demo` is what it prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.projects import clean_env, run

ROOT = Path(__file__).parents[2]
SHOWN = {
    "README.md": "$ row3 --compare",
    "docs/ci.md": "$ git merge",
    "docs/prompts.md": "$ row3 promote",
    "docs/recordings.md": "$ row3 recordings import",
}
"""Pages with an output of the demo, and how its command begins."""
VARYING = re.compile(r"\b[0-9a-f]{10}\b|\d{8}T\d{6}Z-[0-9a-f]+")
"""Commits and ids of runs."""


def lines(text: str) -> list[str]:
    return [VARYING.sub("ID", line.rstrip()) for line in text.splitlines()]


@pytest.mark.slow
def test_the_pages_show_what_the_demo_prints(tmp_path: Path) -> None:
    done = run(
        "sh", str(ROOT / "examples/demo.sh"), str(Path(sys.executable).parent), cwd=ROOT, env=clean_env(tmp_path)
    )
    assert done.code == 0, done
    printed = set(lines(done.out + done.err))
    for page, command in SHOWN.items():
        blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        block = next(block for block in blocks if block.startswith(command))
        shown = [line for line in lines(block) if line not in ("", "…") and not line.startswith("$ ")]
        assert not [line for line in shown if line not in printed], page
