"""`-q`: the result, and not a word beside it."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.projects import Box


def responses(box: Box) -> str:
    """A response that cannot be used, and one that nobody could have asked for after it."""
    box.write("row3.toml", box.read("row3.toml") + '[suites.bread]\npipeline = ["first", "second"]\n')
    for name, output in (("first", "concepts"), ("second", "relationships")):
        text = box.read("prompts/extract-v1.1.md")
        text = text.replace("name: extract", f"name: {name}").replace('"1.1"', '"1.0"')
        box.write(f"prompts/{name}-v1.0.md", text.replace("output: extraction", f"output: {output}"))
    lines = [{"caseId": "rye", "prompt": name, "response": "no"} for name in ("first", "second")]
    return str(box.write("raw.jsonl", "".join(json.dumps(line) + "\n" for line in lines)))


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("hook install", "--no-verify` skips the hook"),
        ("new-version extract", "v1.1 also exists, but is not promoted"),
        ("recordings import", "not used: "),
        ("promote v1.1 --commit", ""),
        ("--baseline", "baseline saved as"),
        ("--compare", "the comparison was added to metrics-history.json; commit it with the change"),
    ],
)
def test_quiet_has_the_result_and_no_remark(box: Box, command: str, remark: str) -> None:
    args = command.split() + ([responses(box)] if command == "recordings import" else [])
    quiet, loud = box.copy(box.root.parent / "quiet"), box
    said, done = loud.row3(*args, code=0), quiet.row3(*args, "-q", code=0)
    assert remark in said.err
    assert remark == "" or remark not in said.out
    assert done.err == ""
    assert done.out


def test_without_git_nothing_is_to_be_committed(box: Box) -> None:
    shutil.rmtree(box.path(".git"))
    for command in ("--baseline", "--baseline --all", "--compare", "--compare --all", "promote v1.1", "--compare"):
        done = box.row3(*command.split(), code=0)
        assert "commit" not in (done.out + done.err).lower(), done
    assert "the comparison was added to metrics-history.json\n" in done.err


def test_the_state_of_the_hooks_in_words(box: Box) -> None:
    box.write(".git/hooks/pre-commit", "#!/bin/sh\n").chmod(0o755)
    assert "pre-commit        left alone: not a row3 hook\n" in box.row3("hook", "status", code=0).out
    assert box.row3("hook", "status", code=0).out.count("not installed") == 2
    assert box.row3("hook", "install", code=0).out.count(" installed") == 3
    assert box.row3("hook", "install", code=0).out.count("already installed") == 3
    status = box.row3("hook", "status", code=0).out
    assert status.count(" installed") == 3
    assert "unchanged" not in status


def test_quiet_lint_has_errors_and_the_number_of_warnings(box: Box) -> None:
    box.case("rye", created="yesterday")
    box.write("prompts/extract-v1.1.md", box.read("prompts/extract-v1.1.md") + "\nnever sent\n")
    loud, quiet = box.row3("lint", code=2).out, box.row3("lint", "-q", code=2).out
    errors = [line for line in loud.splitlines() if "  error  " in line]
    assert errors
    assert quiet.splitlines()[:-2] == errors
    assert quiet.splitlines()[-1] == loud.splitlines()[-1].replace("warning in", "warning (not shown) in")
    assert box.row3("lint", "-q", "--format", "json").out == box.row3("lint", "--format", "json").out
