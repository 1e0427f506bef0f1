"""`row3 lint` on rubrics, and on the checks that a suite makes of every case."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from row3.commands.init import init
from row3.commands.linting.lint import lint_at
from row3.commands.linting.lint_findings import LintFinding

RUBRIC = """---
name: {name}
version: "1.0"
output: {output}
---
{{% block user %}}{text}{{% endblock %}}
"""
GRADES = "{{ input.question }} {{ expected }} {{ answer }} \
{{ value.city | upper }}{% for x in value.parts %}{{ x }}{% endfor %}"
COMPARES = "{{ question }}{% for fact in required_facts %}{{ fact.claim }}{{ fact.must_cite | join }}{% endfor %}\
{{ forbidden_claims | join }}{{ baseline.answer }}{% for c in full.citations %}{{ c.doc }}{{ c.quote }}{% endfor %}\
{% for d in documents %}{{ d.doc }}{{ d.text }}{% endfor %}"

Found = Callable[..., list[LintFinding]]


@pytest.fixture
def found(tmp_path: Path) -> Found:
    init(tmp_path, "checks")

    def lint(toml: str = "", **rubrics: tuple[str, str]) -> list[LintFinding]:
        config = tmp_path / "row3.toml"
        config.write_text(config.read_text("utf-8") + toml, "utf-8")
        for name, (output, text) in rubrics.items():
            path = tmp_path / f"prompts/{name}-v1.0.md"
            path.write_text(RUBRIC.format(name=name, output=output, text=text), "utf-8")
        return list(lint_at(tmp_path).findings)

    return lint


def test_a_rubric_that_can_be_asked_is_used(found: Found) -> None:
    assert found(kind=("grade", GRADES)) == []


def test_a_rubric_that_no_kind_asks_is_unused(found: Found) -> None:
    assert [(one.rule, one.file) for one in found(compare=("judgement", COMPARES))] == [
        ("unused-prompt", "prompts/compare-v1.0.md")
    ]


@pytest.mark.parametrize("name", ["question", "output", "inputs"])
def test_a_variable_that_a_rubric_does_not_have(found: Found, name: str) -> None:
    (one,) = found(kind=("grade", f"Grade\n{{{{ {name} }}}}\n{{{{ answer }}}}"))
    assert (one.level, one.file, one.line) == ("error", "prompts/kind-v1.0.md", 7)
    assert f"'{name}' is undefined. It can use answer, expected, input, value" in one.message


def test_the_rubric_of_outcomes_sees_the_case_and_both_answers(found: Found, tmp_path: Path) -> None:
    case = '{"id": "who", "question": "Who?", "forbidden_claims": ["Ann"]}'
    (tmp_path / "golden/who").mkdir()
    (tmp_path / "golden/who/who.gold.json").write_text(case)
    (tmp_path / "prompts/say-v1.0.md").write_text(
        RUBRIC.format(name="say", output="cited-answer", text="{{ question }}")
    )
    suite = '\n[suites.who]\nkind = "outcome"\npipeline = ["say"]\n'
    assert found(suite, **{"judge-outcome": ("judgement", COMPARES)}) == []
    (one,) = found(**{"judge-outcome": ("judgement", "{{ expected }}")})
    assert "'expected' is undefined" in one.message


def test_rubrics_are_not_part_of_a_default_pipeline(found: Found, tmp_path: Path) -> None:
    config = tmp_path / "row3.toml"
    config.write_text(config.read_text("utf-8").replace('pipeline = ["answer-question"]\n', ""), "utf-8")
    assert found(kind=("grade", GRADES)) == []


@pytest.mark.parametrize(
    ("check", "key", "message"),
    [
        ("judge = 'nobody'", "judge", "rubric `nobody` not found: no prompts/nobody-v*.md"),
        ("semantic = 'x'", "semantic", "needs [suites.NAME.matching.semantic]"),
    ],
)
def test_a_check_of_the_suite_that_nothing_can_answer(
    found: Found, tmp_path: Path, check: str, key: str, message: str
) -> None:
    (one,) = found(f"\n[[suites.checks.checks]]\n{check}\n")
    lines = (tmp_path / "row3.toml").read_text("utf-8").split("\n")
    assert (one.level, one.rule, one.file, one.field) == (
        "error", "invalid-check", "row3.toml", "suites.checks.checks.1",
    )  # fmt: skip
    assert message in one.message
    assert lines[one.line - 1] == "[[suites.checks.checks]]"
    assert lines[one.line].startswith(key)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("scorers:polite", ""),
        ("scorers:rude", "`scorers:rude`: scorers.py has no `rude`"),
        ("scores:polite", "there is no module `scores` in the project's folder, nor installed"),
        ("scorers.inner:polite", "there is no module `scorers.inner`"),
        ("pack.inner:polite", ""),
        ("pack.inner:rude", "pack/inner.py has no `rude`"),
        ("pack.outer:polite", "there is no module `pack.outer`"),
        ("math:sqrt", ""),
        ("json.decoder:JSONDecoder", ""),
        ("json.decode:JSONDecoder", "there is no module `json.decode`"),
    ],
)
def test_a_scorer_that_cannot_be_loaded(tmp_path: Path, found: Found, function: str, message: str) -> None:
    for name in ("scorers.py", "pack/inner.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('imported')\n\ndef polite(case, answer):\n    return 1\n")
    rows = found(f'\n[[suites.checks.checks]]\npython = "{function}"\n')
    assert [(row.rule, row.file, row.field) for row in rows] == [
        ("missing-function", "row3.toml", "suites.checks.checks")
    ] * bool(message)
    assert all(message in row.message for row in rows)


def test_the_scorer_of_a_case_names_its_file(found: Found, tmp_path: Path) -> None:
    case = {"id": "own", "input": {"ticket": "Why?"}, "checks": [{"python": "gone:score"}]}
    (tmp_path / "golden/checks/own.gold.json").write_text(json.dumps(case), "utf-8")
    assert [(row.rule, row.file, row.field) for row in found()] == [
        ("missing-function", "golden/checks/own.gold.json", "checks")
    ]


@pytest.mark.parametrize("given", [{"topic": "x"}, {"tickets": "x", "z": "y"}, {"ticket": "x", "z": "y"}])
def test_a_case_without_a_variable_of_the_prompt(found: Found, tmp_path: Path, given: dict[str, str]) -> None:
    case = {"id": "lacks", "input": given, "checks": [{"contains": "x"}]}
    (tmp_path / "golden/checks/lacks.gold.json").write_text(json.dumps(case), "utf-8")
    rows = [(row.level, row.message) for row in found() if "undefined" in row.message]
    assert [(level, "(case `lacks`)" in message) for level, message in rows] == (
        [] if "ticket" in given else [("error", True)]
    )
