"""What is known as a result of row3; `tests/cli/test_out_file.py` has what the commands really write."""

from __future__ import annotations

from row3.cli.out_file import is_generated
from tests.rows import every_row

FORMS = ("table", "github", "markdown", "comment", "json", "codequality", "junit", "html", "svg", "png", "schema")


def ours(form: str, text: str | bytes) -> bool:
    raw = text.encode() if isinstance(text, str) else text
    return is_generated(form, raw, raw[-100:])


@every_row("form", FORMS)
def test_an_empty_file_may_go_and_any_other_text_may_not(form: str) -> None:
    assert ours(form, "")
    assert ours(form, " \n\t\n")
    for text in ("x", "# Title\n\nrow3 · all\n", "import row3\n", b"\xff\xfe\x00", "{}", "[1]", "<a/>", "row3\n"):
        assert not ours(form, text)


@every_row(
    ("form", "text"),
    [
        ("json", '{"schemaVersion": 1, "suite": "bread"}'),
        ("json", '[\n {\n  "schemaVersion": 1,\n  "runId": "x"'),
        ("json", "[]\n"),
        ("codequality", '[\n {\n  "description": "x",\n  "check_name": "row3/lint/x"'),
        ("markdown", "### ✓ PROCEED · row3 · bread\n"),
        ("comment", "## Failure Investigation: rye\n"),
        ("table", "bread · extract v1.1 (promoted) · replay\n"),
        ("table", "golden/a.gold.json:3: x\n\n1 error, 2 warnings in 3 files\n"),
        ("github", "::warning file=a,line=3,title=row3 lint::x\n"),
        ("junit", '<?xml version="1.0"?>\n<testsuites tests="1">\n  <testsuite name="row3 bread"/>'),
        ("html", "<!doctype html>\n<html>\n<title>BLOCK · row3</title>"),
        ("svg", '<?xml version="1.0"?>\n<svg>\n <title>Leaderboard: bread</title>'),
        ("png", b"\x89PNG\r\n\x1a\n\x00"),
        ("schema", '{\n  "$schema": "x",\n  "title": "row3: result"'),
    ],
)
def test_a_result_is_known_in_its_own_form_only(form: str, text: str | bytes) -> None:
    alike = {"table": {"github"}, "github": {"table"}, "markdown": {"comment"}, "comment": {"markdown"}}
    known = {each for each in FORMS if ours(each, text)}
    both = {"json", "codequality"} if text == "[]\n" else set()
    assert known == {form} | alike.get(form, set()) | both
