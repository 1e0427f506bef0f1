"""`row3 lint` on hand-broken files: every rule, with the exact file, field and line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from row3.commands.linting.lint import lint_at
from row3.domain.findings import LintFinding
from row3.domain.requests import digest_text
from row3.domain.runs import Manifest, ManifestCase
from row3.errors import InvalidFile, UsageError
from row3.project.manifests import manifest_bytes
from row3.reports.findings import findings_json, findings_text

CASE = "golden/example/bank-runs.gold.json"
PROMPT = "prompts/decompose-concepts-v1.0.md"
Edit = Callable[[dict[str, Any]], object]


def found(root: Path, rule: str | None = None) -> list[LintFinding]:
    findings = [one for one in lint_at(root).findings if one.rule != "case-count"]
    return findings if rule is None else [one for one in findings if one.rule == rule]


def edit(root: Path, change: Edit, file: str = CASE) -> str:
    """Change a case through its JSON; returns its new text, which has one value a line."""
    path = root / file
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    path.write_text(text, encoding="utf-8")
    return text


def line_with(text: str, part: str, nth: int = 1) -> int:
    """The line of the nth occurrence: the tests' own way to count, apart from the program's."""
    lines = [number for number, line in enumerate(text.split("\n"), 1) if part in line]
    return lines[nth - 1]


def put(key: str, value: Any) -> Edit:
    return lambda case: case.update({key: value})


def concept(index: int, **values: Any) -> Edit:
    return lambda case: case["expectedConcepts"][index].update(values)


def link(index: int, field: str = "expectedRelationships", **values: Any) -> Edit:
    return lambda case: case[field][index].update(values)


RULES: list[tuple[Edit, str, str, str, str]] = [
    (put("topic", " "), "topic", "topic", '"topic"', "the topic is missing"),
    (lambda c: c.pop("domain"), "domain", "domain", "", "the domain is missing"),
    (
        put("sourceText", "Short.\n\nText."),
        "words-count",
        "sourceText",
        '"sourceText"',
        "2 words, should be 300 to 800",
    ),
    (
        lambda c: [one.update(inferred=True) for one in c["expectedConcepts"][:3]],
        "inferred",
        "expectedConcepts",
        '"expectedConcepts"',
        "3 of 25 concepts are inferred",
    ),
    (
        concept(3, aliases=["ok", "banks"]),
        "name-twice",
        "expectedConcepts.3.aliases.1",
        '        "banks"',
        "`banks` is also a name of `banks`",
    ),
    (
        concept(4, label="Unheard of", aliases=[]),
        "not-in-text",
        "expectedConcepts.4.label",
        '"label": "Unheard of"',
        "neither `Unheard of` nor an alias occurs in the text",
    ),
    (
        lambda c: c["forbiddenConcepts"].append(c["forbiddenConcepts"][0]),
        "canary-twice",
        "forbiddenConcepts.{last}",
        "{canary}",
        "is listed twice",
    ),
    (
        lambda c: c["forbiddenConcepts"].__setitem__(2, "deposit insurances"),
        "canary-expected",
        "forbiddenConcepts.2",
        '"deposit insurances"',
        "too close to the expected `deposit insurance`",
    ),
    (
        link(1, source="bank ruin"),
        "unknown-end",
        "expectedRelationships.1.source",
        '"bank ruin"',
        "did you mean `bank run`?",
    ),
    (
        link(5, source="banks", target="banks", note="here"),
        "self-relationship",
        "expectedRelationships.5",
        "{before note}",
        "`banks` is related to itself",
    ),
    (
        lambda c: c["forbiddenRelationships"].append({**c["forbiddenRelationships"][0]}),
        "relationship-twice",
        "forbiddenRelationships.{last}",
        "{last forbidden}",
        "the same as an earlier forbidden relationship",
    ),
    (
        lambda c: c["forbiddenRelationships"].append(
            {key: c["expectedRelationships"][0][key] for key in ("source", "target", "predicate")}
        ),
        "contradiction",
        "forbiddenRelationships.{last}",
        "{last forbidden}",
        "forbidden, and also expected (relationship 1)",
    ),
    (
        lambda c: c["expectedConcepts"].__setitem__(
            0, {"label": "unlinked thing", "aliases": ["bank run or panic"], "inferred": True}
        ),
        "unconnected",
        "expectedConcepts.0.label",
        '"unlinked thing"',
        "`unlinked thing` is not part of any relationship",
    ),
]


@pytest.mark.parametrize(("change", "rule", "field", "mark", "message"), RULES, ids=[f"{r[1]}-{r[2]}" for r in RULES])
def test_every_rule_names_file_field_and_line(
    root: Path, change: Edit, rule: str, field: str, mark: str, message: str
) -> None:
    text = edit(root, change)
    value = json.loads(text)
    if "{last}" in field:
        field = field.replace("{last}", str(len(value[field.partition(".")[0]]) - 1))
    if mark == "{canary}":
        line = line_with(text, json.dumps(value["forbiddenConcepts"][-1]), 2)
    elif mark == "{before note}":  # the note is the last key of its object, which begins four or five lines above
        line = next(
            n for n in range(line_with(text, '"note": "here"'), 0, -1) if text.split("\n")[n - 1].strip() == "{"
        )
    elif mark == "{last forbidden}":
        line = max(n for n, row in enumerate(text.split("\n"), 1) if row.strip() == "{")
    else:
        line = line_with(text, mark) if mark else 1
    matching = [one for one in found(root, rule) if one.field == field]
    assert [(one.file, one.line) for one in matching] == [(CASE, line)], found(root, rule)
    assert message in matching[0].message
    assert matching[0].level == ("warning" if rule == "unconnected" else matching[0].level)


def test_the_rules_of_the_suite_as_a_whole(root: Path) -> None:
    (root / CASE).unlink()
    report = lint_at(root)
    assert {(one.level, one.rule, one.file) for one in report.findings} == {
        ("error", "case-count", "golden/example/"),
        ("error", "domain-coverage", "golden/example/"),
    }
    assert "no case for the domain economic" in findings_text(report)
    assert report.exit_code == 2


def test_warnings_do_not_fail(root: Path) -> None:
    edit(root, concept(2, inferred=True))
    report = lint_at(root)
    assert (report.errors, report.warnings, report.exit_code) == (0, 2, 0)


# --- files that cannot be used: a finding, and the run goes on with the others ---

ID = 3
"""The line of the id in what follows."""
BROKEN: list[tuple[Callable[[str], str | bytes], str, str, int, str]] = [
    (lambda t: t.encode("utf-16"), "invalid-file", "", 1, "UTF-16"),
    (lambda t: t.encode("latin-1", "replace").replace(b"Bank Runs", b"Bank\xe9"), "invalid-file", "", 4, "not UTF-8"),
    (lambda t: t.replace('"topic"', '"id": "x",\n  "topic"'), "invalid-field", "id", 4, "key `id` occurs twice"),
    (
        lambda t: t.replace('"required": true', '"required": true,\n      "label": "again"', 1),
        "invalid-field",
        "expectedConcepts.0.label",
        -1,
        "key `label` occurs twice",
    ),
    (lambda t: t.replace('"economic"', "NaN"), "invalid-field", "domain", 5, "NaN is not a JSON number"),
    (
        lambda t: t.replace('"domain": "economic"', '"domain": [1,\n -Infinity]'),
        "invalid-field",
        "domain.1",
        6,
        "-Infinity is not a JSON number",
    ),
    (
        lambda t: t.replace('  "topic"', '<<<<<<< HEAD\n=======\n>>>>>>> x\n  "topic"'),
        "invalid-file",
        "",
        4,
        "merge-conflict markers",
    ),
    (lambda t: t.replace('"Bank Runs"', "[" * 100_000), "invalid-file", "", 1, "nested too deeply"),
    (lambda t: t.replace('"Bank Runs"', "Bank Runs"), "invalid-file", "", 4, "not JSON"),
    (lambda _: "", "invalid-file", "", 1, "the file is empty"),
    (lambda _: "[]", "invalid-file", "", 1, "not a JSON object"),
    (lambda t: t.replace('"schemaVersion": 1', '"schemaVersion": 9'), "invalid-field", "schemaVersion", -1, "newer"),
    (
        lambda t: t.replace('"Bank Runs"', '"half \\ud83d"'),
        "invalid-file",
        "",
        1,
        "surrogate",
    ),
    (lambda t: t.replace('"Bank Runs"', "7"), "invalid-field", "topic", 4, "should be a string"),
    (lambda t: t.replace('nConcepts": [', 'nConcepts": [[1],'), "invalid-field", "forbiddenConcepts.0", -1, "a text"),
    (lambda t: t.replace("true", '"yes"', 1), "invalid-field", "expectedConcepts.0.required", -1, "true or false"),
    (lambda t: t.replace('"topic"', '"topics"'), "invalid-field", "topics", 4, "did you mean `topic`?"),
    (
        lambda t: t.replace('"aliases"', '"alias"', 1),
        "invalid-field",
        "expectedConcepts.{aliased}.alias",
        -1,
        "did you mean `aliases`?",
    ),
    (lambda t: t.replace('"sourceText"', '"x"'), "invalid-field", "sourceText", 1, "is missing"),
    (lambda t: t.replace('"id": "bank-runs"', '"id": "../x"'), "invalid-field", "id", 3, "letters, digits and"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spoil", "rule", "field", "line", "message"), BROKEN, ids=[f"{b[1]}-{i}" for i, b in enumerate(BROKEN)]
)
def test_a_broken_case_is_a_finding_and_the_others_are_still_checked(
    root: Path, spoil: Callable[[str], str | bytes], rule: str, field: str, line: int, message: str
) -> None:
    path, other = root / CASE, "golden/example/machine-learning.gold.json"
    before = path.read_text(encoding="utf-8")
    after = spoil(before)
    path.write_bytes(after if isinstance(after, bytes) else after.encode("utf-8"))
    edit(root, put("topic", ""), other)
    findings = found(root)
    if "{aliased}" in field:
        concepts = json.loads(before)["expectedConcepts"]
        first = next(i for i, one in enumerate(concepts) if "aliases" in one)
        field = field.replace("{aliased}", str(first))
    if line > 1:  # counted from the id, whatever stands above it
        line += line_with(before, '"id"') - ID
    if line < 0:  # where the spoilt text begins to differ
        assert isinstance(after, str)
        rows = zip(before.split("\n"), after.split("\n"), strict=False)
        line = next(number for number, (old, new) in enumerate(rows, 1) if old != new)
        line += field.endswith(".0.label")
    if field == "forbiddenConcepts.0":
        line = line_with(str(after), '"forbiddenConcepts"')
    first_found = next(one for one in findings if one.rule == rule)
    assert (first_found.level, first_found.file, first_found.field, first_found.line) == ("error", CASE, field, line)
    assert message in first_found.message
    assert [one.rule for one in findings if one.file == other] == ["topic"]
    findings_text(lint_at(root)).encode("utf-8")


def test_a_byte_order_mark_and_crlf_are_taken_and_lines_still_count(root: Path) -> None:
    text = edit(root, concept(4, label="Unheard of", aliases=[]))
    (root / CASE).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode("utf-8"))
    finding = found(root, "not-in-text")[0]
    assert (finding.file, finding.line) == (CASE, line_with(text, '"Unheard of"'))


def test_every_wrong_field_is_a_finding_of_its_own(root: Path) -> None:
    text = edit(root, lambda c: c.update(topic=1, version=2, extra=3, domain="x"))
    assert {(one.field, one.line) for one in found(root)} == {
        (key, line_with(text, f'"{key}"')) for key in ("topic", "domain", "version", "extra")
    }


def test_the_topic_may_be_used_by_a_prompt(root: Path) -> None:
    spoil_prompt(root, "Text:", "Text on {{ topic }}:")
    assert found(root) == []


def test_an_id_in_two_files_and_a_file_that_is_not_named_after_its_id(root: Path) -> None:
    text = (root / CASE).read_text(encoding="utf-8")
    (root / "golden/example/zz.gold.json").write_text(text, encoding="utf-8")
    line = line_with(text, '"id"')
    findings = {(one.level, one.rule, one.file, one.field, one.line) for one in found(root)}
    assert findings == {
        ("error", "id-twice", "golden/example/zz.gold.json", "id", line),
        ("warning", "file-name", "golden/example/zz.gold.json", "id", line),
    }
    (root / "golden/example/zz.gold.json").rename(root / "golden/example/aa.gold.json")  # read before its original
    findings = {(one.level, one.rule, one.file, one.field, one.line) for one in found(root)}
    assert findings == {
        ("error", "id-twice", "golden/example/bank-runs.gold.json", "id", line),
        ("warning", "file-name", "golden/example/aa.gold.json", "id", line),
    }


def test_ids_that_differ_in_case_alone_are_one_id(root: Path) -> None:
    text = (root / CASE).read_text(encoding="utf-8").replace('"id": "bank-runs"', '"id": "Bank-Runs"')
    (root / "golden/example/Bank-Runs.gold.json").write_text(text, encoding="utf-8")
    (finding,) = found(root, "id-twice")
    assert finding.message == "the id `bank-runs` is already used by golden/example/Bank-Runs.gold.json"


@pytest.mark.parametrize("char", ["\x01", "\b", "\f", "\x1b", "\x7f"])
def test_each_control_character_is_found_and_no_backslash(root: Path, char: str) -> None:
    edit(root, put("topic", f"Bank{char} runs"))
    (finding,) = found(root, "control-character")
    assert finding.message == f"contains the invisible character U+{ord(char):04X}"
    edit(root, put("topic", f"Bank\\u{ord(char):04x} runs\\b\n"))
    assert found(root, "control-character") == []


def test_a_control_character_is_found(root: Path) -> None:
    edit(root, put("topic", "Bank\0 runs"))
    (finding,) = found(root, "control-character")
    assert (finding.level, finding.field) == ("error", "topic")
    assert "U+0000" in finding.message


def test_a_prompt_that_names_expected_items(root: Path) -> None:
    labels = [each["label"] for each in json.loads((root / CASE).read_text(encoding="utf-8"))["expectedConcepts"]]
    half = ", ".join(labels[: (len(labels) + 1) // 2])
    text = spoil_prompt(root, "{% block user %}", f"{{% block user %}}Look for {half}.\n")
    (finding,) = found(root, "told-expectations")
    assert f"of {len(labels)} items that case `bank-runs` expects" in finding.message
    (root / PROMPT).write_text(text.replace(half, ", ".join(labels[:2])), encoding="utf-8")
    assert not found(root, "told-expectations")


def test_files_that_nothing_reads(root: Path) -> None:
    (root / "golden/example/other.json").write_text("{}")
    (root / "golden/example/rye.gold.JSON").write_text("{}")
    (root / "golden/loose.gold.json").write_text("{}")
    assert {(one.rule, one.file) for one in found(root)} == {
        ("not-a-case", "golden/example/other.json"),
        ("not-a-case", "golden/example/rye.gold.JSON"),
        ("not-a-case", "golden/loose.gold.json"),
    }


def test_an_empty_suite(root: Path) -> None:
    (root / "golden/empty").mkdir()
    assert [(one.rule, one.file) for one in found(root)] == [("empty-suite", "golden/empty/")]


def test_counts_and_coverage_are_found_where_the_suite_sets_standards(root: Path) -> None:
    def make_small(case: dict[str, Any]) -> None:
        del case["domain"], case["topic"]
        case["sourceText"] = case["sourceText"].split("\n\n")[0]
        case["forbiddenConcepts"] = case["forbiddenConcepts"][:1]

    edit(root, make_small)
    held = lint_at(root).findings
    counts = [one for one in held if one.setting == "suites.example.standards"]
    assert {"words-count", "paragraphs-count", "canaries-count", "domain", "domain-coverage", "topic"} <= {
        one.rule for one in counts if one.level == "error"
    }
    assert all(one.message.endswith(" (suites.example.standards)") for one in counts)
    contents = [one for one in held if one not in counts]
    assert {one.rule for one in contents} == {"not-in-text"}  # concepts whose sentence is gone
    assert list(held[: len(contents)]) == contents  # what is wrong with a case comes first
    config = root / "row3.toml"
    config.write_text(re.sub("(?m)^standards = .*\n", "", config.read_text(encoding="utf-8")))
    assert list(lint_at(root).findings) == contents


def test_a_finding_names_the_setting_that_changes_it(root: Path) -> None:
    def tell(case: dict[str, Any]) -> None:
        case["expectedRelationships"][0]["predicate"] = "OWNS"
        case["forbiddenConcepts"][:2] = ["maturity transformations", case["expectedConcepts"][0]["label"]]

    edit(root, tell)
    told = {(one.rule, one.setting) for one in lint_at(root).findings if one.level == "error"}
    assert told == {
        ("predicate", "suites.example.predicates.allowed"),
        *(("canary-expected", each) for each in ("suites.example.matching", "")),
        ("canary-in-text", ""),
    }


def test_one_suite_alone(root: Path) -> None:
    (root / "golden/empty").mkdir()
    assert lint_at(root, "example").errors == 0
    assert lint_at(root, "empty").errors == 1
    with pytest.raises(UsageError, match="Did you mean `example`"):
        lint_at(root, "exmaple")


# --- prompts ---


def spoil_prompt(root: Path, before: str, after: str, file: str = PROMPT) -> str:
    path = root / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    text = text.replace(before, after, 1)
    path.write_text(text, encoding="utf-8")
    return text


@pytest.mark.parametrize(
    ("before", "after", "rule", "field", "mark", "message"),
    [
        ("{{ source_text }}", "{{ source }}", "invalid-file", "", "{{ source }}", "undefined name"),
        ("{{ source_text }}", "{{ source_text", "invalid-file", "", "Answer with JSON only", "in line"),
        ("{{ source_text }}", "{source_text}", "unused-input", "", "{source_text}", "write `{{ source_text }}`"),
        ("{{ source_text }}", "", "unused-input", "", "---", "sends the same request for every case"),
        ("{{ source_text }}", "{{ ''.__class__ }}", "invalid-file", "", "", "refused"),
        ("{% block user %}", "{% block users %}", "invalid-file", "", "", "unknown block"),
        ("output: concepts", "output: concept", "unknown-output", "output", "output: concept", "outputs: concepts"),
        ("max_tokens: 6000", "effort: low", "invalid-field", "effort", "effort: low", "mean `reasoning_effort`?"),
        ("output: concepts", "outputs: concepts", "invalid-field", "outputs", "outputs:", "did you mean `output`?"),
        (
            "max_tokens: 6000", "temperature: 9", "invalid-field", "temperature", "temperature: 9",
            "should be a number <= 2",
        ),
        ('version: "1.0"', "version: 1.0", "invalid-field", "version", "version: 1.0", "should be a version in quotes"),
        ('version: "1.0"', 'version: "1.4"', "invalid-field", "version", 'version: "1.4"', "the file name says"),
        ("output: concepts", "output: [", "invalid-file", "", "output: [", "not YAML"),
        ("name: decompose-concepts", "", "invalid-field", "name", "", "is missing"),
        ("name: decompose-concepts", "name: 2024-01-01", "invalid-field", "name", "name: 2024", "a date or time"),
    ],
)  # fmt: skip
def test_prompts(root: Path, before: str, after: str, rule: str, field: str, mark: str, message: str) -> None:
    text = spoil_prompt(root, before, after)
    findings = [one for one in found(root) if one.file == PROMPT]
    matching = [one for one in findings if (one.rule, one.field, one.level) == (rule, field, "error")]
    assert len(matching) == 1, findings
    assert message in matching[0].message
    if mark:
        assert matching[0].line == line_with(text, mark)


@pytest.mark.parametrize(
    ("line", "rule", "message"),
    [
        ('description: "abc', "invalid-file", "unexpected end of stream"),
        ("\tdescription: x", "invalid-file", "cannot start any token"),
        ("description: a: b", "invalid-file", "mapping values are not allowed"),
        ("name: decompose-concepts", "invalid-file", "`name` occurs twice"),
        ("  description: x", "invalid-file", "expected"),
        ("description", "invalid-file", "':'"),
        ("description: [a, b", "invalid-file", "',' or ']'"),
        ("description: a\x01b", "invalid-file", "a control character"),
        ("description: *x", "invalid-file", "undefined alias"),
        ("descripton: x", "invalid-field", "did you mean `description`? Correct it"),
        ("seed: hot", "invalid-field", "a whole number"),
    ],
)
def test_a_broken_front_matter_is_one_finding_in_its_own_line(root: Path, line: str, rule: str, message: str) -> None:
    path = root / PROMPT
    rows = path.read_text(encoding="utf-8").split("\n")
    rows[3] = line
    path.write_text("\n".join(rows), encoding="utf-8")
    finding, *others = found(root)
    assert (finding.file, finding.line, finding.rule) == (PROMPT, 4, rule)
    assert message in finding.message
    assert others == []  # the prompt after it is not blamed for missing what this one would have given


def test_a_front_matter_of_another_name_or_version_names_its_line(root: Path) -> None:
    path = root / PROMPT
    text = path.read_text(encoding="utf-8")
    for old, field, line in (("name: decompose-concepts", "name", 2), ('version: "1.0"', "version", 3)):
        path.write_text(text.replace(old, f'{field}: "{"other" if field == "name" else "2.0"}"'), encoding="utf-8")
        assert [(one.field, one.line) for one in found(root)] == [(field, line)]


def test_a_later_prompt_is_rendered_with_what_an_earlier_one_gives(root: Path) -> None:
    file = "prompts/map-ontology-v1.0.md"
    text = spoil_prompt(root, "{{ concept.label }}", "{{ concept.lable }}", file)
    findings = found(root)
    assert [(one.rule, one.file) for one in findings] == [("invalid-file", file)]
    assert "lable" in findings[0].message
    spoil_prompt(root, "{{ concept.lable }}", "{{ concept.quote }}", file)
    assert found(root) == []
    assert line_with(text, "concept.lable")


def test_an_earlier_prompt_does_not_see_what_a_later_one_gives(root: Path) -> None:
    text = spoil_prompt(root, "{{ source_text }}", "{{ source_text }} {{ concepts }}")
    assert [(one.rule, one.line) for one in found(root)] == [("invalid-file", line_with(text, "{{ concepts }}"))]


def test_every_version_is_rendered(root: Path) -> None:
    text = (root / PROMPT).read_text(encoding="utf-8")
    newer = text.replace('"1.0"', '"1.1"')
    (root / "prompts/decompose-concepts-v1.1.md").write_text(newer, encoding="utf-8")
    spoil_prompt(root, "{{ source_text }}", "{{ wrong }}")
    assert [one.file for one in found(root)] == [PROMPT]


def test_file_names_and_prompts_in_no_pipeline(root: Path) -> None:
    (root / "prompts/v1.md").write_text("x")
    (root / "prompts/README.md").write_text("not a prompt")
    text = (root / PROMPT).read_text(encoding="utf-8").replace("name: decompose-concepts", "name: other")
    (root / "prompts/other-v1.0.md").write_text(text, encoding="utf-8")
    assert {(one.level, one.rule, one.file) for one in found(root)} == {
        ("error", "file-name", "prompts/v1.md"),
        ("warning", "unused-prompt", "prompts/other-v1.0.md"),
    }


def test_a_pipeline_that_names_no_prompt(root: Path) -> None:
    path = root / "row3.toml"
    text = path.read_text(encoding="utf-8").replace('"map-ontology"]', '"map-ontologies"]')
    path.write_text(text, encoding="utf-8")
    finding = found(root, "unknown-prompt")[0]
    assert (finding.file, finding.field) == ("row3.toml", "suites.example.pipeline")
    assert finding.line == line_with(text, "pipeline =")
    assert "did you mean `map-ontology`?" in finding.message


def promote(root: Path, digest: str, version: str = "v1.0") -> str:
    value = {
        "schemaVersion": 1,
        "prompts": {"decompose-concepts": {"version": version, "digest": digest, "date": "2026-01-29"}},
    }
    text = json.dumps(value, indent=2)
    (root / "prompts/promoted.json").write_text(text)
    return text


def test_a_promoted_prompt_that_was_edited_in_place(root: Path) -> None:
    promote(root, "0" * 64)
    findings = found(root)
    assert [(one.rule, one.file) for one in findings] == [("invalid-file", PROMPT)]
    assert "row3 new-version decompose-concepts" in findings[0].message


def test_a_promoted_prompt_that_is_gone(root: Path) -> None:
    text = promote(root, "0" * 64, "v0.9")
    finding = found(root, "promoted-gone")[0]
    assert (finding.file, finding.field) == ("prompts/promoted.json", "prompts.decompose-concepts.version")
    assert finding.line == line_with(text, '"version": "v0.9"')


def test_a_broken_promoted_file(root: Path) -> None:
    text = promote(root, "0" * 64, "1").replace('"digest"', '"digset"')
    (root / "prompts/promoted.json").write_text(text)
    findings = [one for one in found(root) if one.file == "prompts/promoted.json"]
    assert {(one.rule, one.line) for one in findings} >= {("invalid-field", line_with(text, "digset"))}


# --- settings, recordings, baseline, history ---


@pytest.mark.parametrize(
    ("line", "rule", "field", "message"),
    [
        ('mode = "reply"', "invalid-field", "mode", "replay, live"),
        ("jbos = 3", "invalid-field", "jbos", "did you mean `jobs`?"),
        ("jobs = = 3", "invalid-file", "", "not TOML"),
        ('suite = "exmaple"', "unknown-suite", "suite", "did you mean `example`?"),
    ],
)
def test_settings(root: Path, line: str, rule: str, field: str, message: str) -> None:
    path = root / "row3.toml"
    key = line.partition(" ")[0].replace("jbos", "suite").replace("jobs", "suite")
    rows = path.read_text(encoding="utf-8").split("\n")
    at = next(number for number, row in enumerate(rows) if row.startswith(f"{key} ="))
    rows[at] = line
    path.write_text("\n".join(rows), encoding="utf-8")
    finding = next(one for one in found(root) if one.file == "row3.toml")
    assert (finding.rule, finding.field, finding.line) == (rule, field, at + 1)
    assert message in finding.message


@pytest.mark.parametrize(
    ("table", "hint"),
    [
        ('[gate]\nfail = "tokens:20%"\n', "did you mean `suites.*.gate`?"),
        ("[thresholds]\n", "did you mean `suites.*.thresholds`?"),
        ('[provider]\neffort = "low"\n', "did you mean `reasoning_effort`?"),
    ],
)
def test_a_setting_in_the_wrong_place_or_by_a_part_of_its_name(root: Path, table: str, hint: str) -> None:
    (root / "row3.toml").write_text(table)
    assert hint in next(one.message for one in found(root) if one.file == "row3.toml")


def test_settings_of_a_suite(root: Path) -> None:
    path = root / "row3.toml"
    text = path.read_text(encoding="utf-8") + "[suites.example.weights]\nrecal = 0.5\n"
    path.write_text(text, encoding="utf-8")
    finding = found(root)[0]
    assert (finding.file, finding.field, finding.line) == (
        "row3.toml", "suites.example.weights", line_with(text, "[suites.example.weights]", 2)
    )  # fmt: skip
    assert "Did you mean `recall`?" in finding.message


@pytest.mark.parametrize(
    ("section", "line", "rule", "message"),
    [
        ("provider", 'preset = "opneai"', "invalid-field", "Did you mean `openai`?"),
        ("suites.example.provider", 'preset = "lama.cpp"', "invalid-field", "Did you mean `llama.cpp`?"),
        ("suites.example.provider", 'base_url = "localhost:1234"', "invalid-field", "must be an http or https address"),
        ("provider", 'base_url = "http://a\\u0000b/v1"', "invalid-field", "must be an http or https address"),
        ("provider", 'base_url = "http://a\\nb/v1"', "invalid-field", "must be an http or https address"),
        ("provider", 'base_url = "http://models.example/v1"', "invalid-field", "is plain http to another machine"),
        ("provider", 'preset = "sk-123456789012"', "invalid-field", "is unknown. Known: openai,"),
        ("suites.example.judge", 'preset = "LLama.cpp"', "invalid-field", "Did you mean `llama.cpp`?"),
        ("provider", 'key_variable = "sk-1"', "invalid-field", "Give the variable's name"),
    ],
)
def test_a_provider_that_cannot_be_asked(root: Path, section: str, line: str, rule: str, message: str) -> None:
    (root / "row3.toml").write_text(f'suite = "example"\n[{section}]  # who answers\nmodel = "m"\n{line}\n')
    for suite in (None, "example"):
        findings = [one for one in lint_at(root, suite).findings if one.file == "row3.toml"]
        field = f"{section}.{line.partition(' ')[0]}"
        assert [(one.rule, one.field, one.line) for one in findings] == [(rule, field, 4)]
        assert message in findings[0].message


@pytest.mark.parametrize(
    "settings",
    [
        'kind = "extraction"\n[suites.example.provider]\nbase_url = "http://models.example/v1"\nallow_http = true',
        'kind = "checks"\n[suites.example.judge]\nbase_url = "http://models.example/v1"\nallow_http = true',
        '[suites.example.provider]\nallow_http = true\n[suites.example.matching.semantic]\nmodel = "e"\n'
        'base_url = "http://models.example/v1"',
        '[suites.example.provider]\ntype = "mcp"\nversion = "1.0"\ntool = "t"\nurl = "http://models.example/v1"\n'
        "allow_http = true",
    ],
    ids=["model", "judge", "embeddings", "mcp"],
)
def test_plain_http_to_another_machine_is_a_warning_where_it_is_allowed(root: Path, settings: str) -> None:
    (root / "row3.toml").write_text(f'suite = "example"\n[provider]\nmodel = "m"\n[suites.example]\n{settings}\n')
    allowed = [one for one in lint_at(root, None).findings if one.rule == "plain-http"]
    assert [(one.level, one.field) for one in allowed] == [("warning", "suites.example")]
    assert allowed[0].message.endswith("answers and the key on their way to http://models.example/v1")
    (root / "row3.toml").write_text((root / "row3.toml").read_text().replace("allow_http = true", ""))
    refused = [one for one in lint_at(root, None).findings if "plain http to another machine" in one.message]
    assert [(one.level, one.rule) for one in refused] == [("error", "invalid-field")]


def test_recordings(root: Path) -> None:
    folder = root / "recordings/example"
    folder.mkdir(parents=True)
    lines = ["{}", "<<<<<<< HEAD", "\x00", '{"a": NaN}', ""]
    (folder / "x.jsonl").write_text("\n".join(lines), encoding="utf-8")
    findings = found(root)
    assert {one.file for one in findings} == {"recordings/example/x.jsonl"}
    assert list(dict.fromkeys((one.line, one.rule) for one in findings)) == [
        (1, "invalid-field"),
        (2, "invalid-file"),
        (3, "invalid-file"),
        (4, "invalid-file"),
    ]
    (folder / "x.jsonl").write_text("junk\n" * 1000)
    assert len(found(root)) == 20


def test_baseline_and_history(root: Path) -> None:
    (root / "baselines").mkdir()
    (root / "baselines/example.json").write_text('{\n "runId": 7,\n "cases": []}')
    (root / "metrics-history.json").write_text('[\n{"runId": "a"}\n]\n')
    findings = found(root)
    baseline = [one for one in findings if one.file == "baselines/example.json"]
    assert ("invalid-field", "runId", 2) in {(one.rule, one.field, one.line) for one in baseline}
    history = [one for one in findings if one.file == "metrics-history.json"]
    assert history
    assert {one.line for one in history} == {2}


def test_a_baseline_with_a_broken_case(root: Path) -> None:
    manifest = Manifest("example", "extraction", "replay", "r", "2026-01-29T00:00:00Z", {}, "m", {}, 1, {
        case_id: ManifestCase(case_id, "d", "i") for case_id in ("a", "b")
    })  # fmt: skip
    text = manifest_bytes(manifest).decode().replace('"id": "b", "digest": "d"', '"id": "b", "digest": 7')
    (root / "baselines").mkdir()
    (root / "baselines/example.json").write_text(text)
    (finding,) = found(root)
    assert (finding.file, finding.field) == ("baselines/example.json", "cases.1.digest")
    assert finding.line == line_with(text, '"id": "b"')


@pytest.mark.parametrize("broken", ["x = 1", "mode = "])
def test_broken_settings_are_the_only_finding(root: Path, broken: str) -> None:
    """What else is wrong depends on them."""
    (root / "row3.toml").write_text(f"{broken}\n")
    edit(root, put("topic", ""))
    report = lint_at(root)
    assert ([one.file for one in report.findings], report.files) == (["row3.toml"], 1)


def test_a_suite_whose_settings_are_wrong_is_one_finding(root: Path) -> None:
    path = root / "row3.toml"
    path.write_text(path.read_text(encoding="utf-8") + "[suites.example.weights]\nrecal = 0.5\n", encoding="utf-8")
    for suite in (None, "example"):
        assert [one.field for one in lint_at(root, suite).findings] == ["suites.example.weights"]


def test_no_project(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="not a row3 project"):
        lint_at(tmp_path)


def test_the_report_as_json_has_places(root: Path) -> None:
    line = line_with(edit(root, put("topic", "")), '"topic"')
    value = json.loads(findings_json(lint_at(root)))
    assert value["errors"] == 1
    assert {"file": CASE, "field": "topic", "line": line, "rule": "topic"}.items() <= value["findings"][0].items()


def test_text_outside_any_block_is_a_warning(root: Path) -> None:
    path = sorted((root / "prompts").glob("*.md"))[0]
    text = path.read_text()
    path.write_text(f"{text.rstrip()}\n\nAlways answer in French.\n")
    (finding,) = found(root, "unsent-text")
    assert (finding.level, finding.file, finding.line) == (
        "warning",
        f"prompts/{path.name}",
        text.rstrip().count("\n") + 3,
    )
    assert "move it above an `{% endblock %}` or `{% endmessage %}`" in finding.message
    path.write_text(f"{text.rstrip()}\n{{# a word to ourselves #}}\n")
    assert not found(root, "unsent-text")


def test_a_conflict_in_the_changelog_is_found_before_a_promotion_stops_on_it(root: Path) -> None:
    (root / "CHANGELOG.md").write_text("# Changelog\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", encoding="utf-8")
    found = [finding for finding in lint_at(root).findings if finding.file == "CHANGELOG.md"]
    assert [(finding.rule, finding.line) for finding in found] == [("invalid-file", 3)]


def recorded(case_id: str, answer: str, *, of: str | None = None) -> str:
    """A line of the recordings of one request for each case; `of` is the answer that it has the digest of."""
    value = {
        "digest": digest_text(case_id),
        "schemaVersion": 1,
        "caseId": case_id,
        "prompt": "ask-v1.0",
        "repeat": 0,
        "request": {},
        "response": {"text": answer},
        "answerDigest": digest_text(answer if of is None else of),
    }
    return json.dumps(value) + "\n"


def test_recordings_that_a_replay_would_refuse(root: Path) -> None:
    folder = root / "recordings/example"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(recorded("rye", "one") + recorded("oat", "one"))
    (folder / "b.jsonl").write_text(recorded("oat", "one") + recorded("rye", "two") + recorded("bun", "x", of="y"))
    findings = found(root)
    assert [(one.file, one.line, one.rule) for one in findings] == [
        ("recordings/example/b.jsonl", 2, "two-answers"),
        ("recordings/example/b.jsonl", 3, "edited-answer"),
    ]
    assert "a different answer in recordings/example/a.jsonl:1" in findings[0].message
