"""Two runs side by side, and the text that shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.commands.recordings.import_responses import import_responses
from row3.comparing.diff import Diff, diff
from row3.comparing.named_sides import Names
from row3.domain.runs import RunHeader
from row3.errors import InvalidFile, UsageError
from row3.project.project import Project, open_project, pick_suite
from row3.project.saved_runs import CaseRecord, write_run
from row3.project.suites import Suite
from row3.reports.diff import diff_document, diff_json
from row3.reports.markdown import markdown_text
from row3.reports.terminal import terminal_text
from row3.running.collect import rules_json
from row3.running.run_options import RunOptions

PROMPT = """---
name: extract
version: "{version}"
output: extraction
---
{{% block user %}}{version} {{{{ source_text }}}}{{% endblock %}}
"""
CASE: dict[str, Any] = {
    "id": "a",
    "sourceText": "Rye is a cereal.",
    "expectedConcepts": [{"label": "rye"}, {"label": "cereal"}],
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "golden/bread").mkdir(parents=True)
    (tmp_path / "golden/bread/a.gold.json").write_text(json.dumps(CASE))
    return open_project(tmp_path)


def suite_of(project: Project) -> Suite:
    return pick_suite(project, None)


def record(case_id: str, overall: float, status: str = "scored", digest: str = "d", **found: tuple[str, ...]) -> bytes:
    metrics = {"recall": overall, "overall": overall}
    return CaseRecord(id=case_id, digest=digest, status=status, metrics=metrics, found=found).line()


def saved(project: Project, path: str, *records: bytes, **changed: Any) -> None:
    suite = suite_of(project)
    head: dict[str, Any] = {
        "run_id": Path(path).stem,
        "suite": "bread",
        "kind": "extraction",
        "action": "run",
        "at": "2026-01-01T00:00:00Z",
        "mode": "replay",
        "prompts": {"extract": "v1.0"},
        "prompt_digests": {"extract": "p"},
        "model": "m",
        "parameters": {"extract": {"model": "m"}},
        "metrics": {},
        "pooled": {},
        "denominators": {},
        "zones": {},
        **rules_json(suite),
    }
    write_run(project.root / path, RunHeader(**head | changed), records)


def shown(project: Project, found: Diff, *, verbose: bool = False) -> str:
    return terminal_text(diff_document(found, suite_of(project).kind.metrics, verbose=verbose))


def compared(project: Project, before: str, after: str) -> Diff:
    return diff(project, suite_of(project), before, after)


RUNS = ".row3/runs/20260101T00000{}Z-abcdef.json"


def test_moves_means_and_items_gained_and_lost(project: Project) -> None:
    saved(
        project,
        "old.json",
        record("same", 0.8),
        record("up", 0.5, missedConcepts=("rye", "malt")),
        record("down", 0.9, wrongConcepts=("oven",)),
        record("broken", 0.7),
        record("gone", 0.7),
        record("edited", 0.7, digest="d1"),
    )
    saved(
        project,
        "new.json",
        record("new", 1.0),
        record("same", 0.8),
        record("up", 0.7, missedConcepts=("malt",)),
        record("down", 0.8, wrongConcepts=("oven", "stove")),
        record("broken", 0.0, status="bad_answer"),
        record("edited", 0.1, digest="d2"),
        model="n",
    )
    found = compared(project, "old.json", "new.json")
    assert found.moves == {
        "unchanged": 1, "improved": 1, "regressed": 1, "broke": 1, "removed": 1, "not comparable": 1, "new": 1
    }  # fmt: skip
    assert found.compared == 4
    overall = next(change for change in found.metrics if change.key == "overall")
    # over same, up, down, broken: (0.8 + 0.5 + 0.9 + 0.7) / 4 and (0.8 + 0.7 + 0.8 + 0) / 4
    assert overall.baseline == pytest.approx(0.725)
    assert overall.current == pytest.approx(0.575)
    assert overall.cases == 4
    assert diff_json(found)["differs"] == ["model: m → n"]
    cases = {change.case_id: change for change in found.cases}
    assert cases["up"].gained == {"missedConcepts": ("rye",)}
    assert cases["down"].lost == {"wrongConcepts": ("stove",)}
    assert [change.case_id for change in found.cases][:2] == ["broken", "gone"]
    assert "same" not in cases


def test_the_text_names_what_was_found_and_what_is_invented(project: Project) -> None:
    saved(project, "old.json", record("up", 0.5, missedConcepts=("rye",)), record("down", 0.9))
    saved(project, "new.json", record("up", 0.7), record("down", 0.8, wrongConcepts=("stove",)))
    found = compared(project, "old.json", "new.json")
    text = shown(project, found)
    assert "▲ up     +20.0\n    + found: rye" in text
    assert "▼ down   −10.0\n    − unexpected: stove" in text
    assert json.loads(json.dumps(diff_json(found)))["moves"] == {"improved": 1, "regressed": 1}
    assert diff_json(found)["differs"] == []


def test_no_markup_comes_from_a_case(project: Project) -> None:
    saved(project, "old.json", record("up", 0.5, missedConcepts=("<b>rye</b>",)), record("down", 0.9))
    saved(project, "new.json", record("up", 0.7), record("down", 0.8, wrongConcepts=("stove",)), model="n|m")
    text = markdown_text(diff_document(compared(project, "old.json", "new.json"), suite_of(project).kind.metrics))
    assert "<b>" not in text
    assert "n|m" not in text


def test_many_moves_are_listed_in_part_and_counted_whole(project: Project) -> None:
    saved(project, "old.json", *(record(f"case-{i:02}", 0.5, missedConcepts=("rye",)) for i in range(20)))
    saved(project, "new.json", *(record(f"case-{i:02}", 0.6 + i / 100) for i in range(20)))
    found = compared(project, "old.json", "new.json")
    text = shown(project, found)
    assert "and 5 more" in text
    assert "case-19   +29.0" in text
    assert "case-00" not in text
    assert "case-00   +10.0" in shown(project, found, verbose=True)


def test_cases_of_one_source_are_one_cluster(project: Project) -> None:
    saved(project, "old.json", *(record(f"case-{i}", 0.5) for i in range(4)))
    saved(project, "new.json", *(record(f"case-{i}", 0.5 + 0.1 * i) for i in range(4)))
    folder = project.root / project.golden("bread")
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(2):
        (folder / f"case-{i}.gold.json").write_text(json.dumps({"id": f"case-{i}", "source": "one book"}))
    (folder / "case-2.gold.json").write_text('{"id": "case-2", "source": ')
    related = {"source": "a", "predicate": "CAUSES", "target": "b"}
    (folder / "case-3.gold.json").write_text(json.dumps({"id": "case-3", "expectedRelationships": [related]}))
    (overall,) = [one for one in compared(project, "old.json", "new.json").metrics if one.key == "overall"]
    assert overall.interval is not None
    assert overall.interval.units == 3


def test_one_case_has_no_interval(project: Project) -> None:
    saved(project, "old.json", record("up", 0.5))
    saved(project, "new.json", record("up", 0.7))
    found = compared(project, "old.json", "new.json")
    assert diff_json(found)["intervals"] == {}


def test_each_way_to_name_a_run(project: Project) -> None:
    for number in (1, 2):
        saved(project, RUNS.format(number), record("a", number / 10))
    saved(project, RUNS.format(3), record("x", 0.5), suite="other")
    saved(project, "kept/some.json", record("a", 0.3))
    names = {
        "latest": 0.2,
        "20260101T000001Z": 0.1,
        "20260101T000002Z-abcdef": 0.2,
        "run:latest": 0.2,
        "run:20260101T000001Z": 0.1,
        "kept/some.json": 0.3,
        "run:kept/some.json": 0.3,
        str(project.root / "kept/some.json"): 0.3,
    }
    for name, value in names.items():
        found = compared(project, name, "latest")
        assert {change.baseline for change in found.metrics} == {value}, name


def test_each_way_to_name_a_baseline(project: Project) -> None:
    archived = "baselines/archive/bread-20250101T000000Z-123456.json"
    for path in ("baselines/bread.json", archived, RUNS.format(1)):
        (project.root / path).parent.mkdir(parents=True, exist_ok=True)
        (project.root / path).write_text("{}")
    names = Names(project, suite_of(project), RunOptions)
    for name, path in {
        "baseline": "baselines/bread.json",
        "baseline:": "baselines/bread.json",
        "baseline:20250101T000000Z-123456": archived,
        "bread-20250101T000000Z-123456": archived,
        "20250101T000000Z-123456": archived,
    }.items():
        opener: Any = names.find(name)
        assert (opener.func, opener.args) == (names._score_baseline, (name, path)), name


def test_a_prompt_version_is_replayed(project: Project) -> None:
    (project.root / "row3.toml").write_text('[provider]\nmodel = "m"\n')
    (project.root / "prompts").mkdir()
    answers = {"1.0": {"concepts": [{"label": "rye"}]}, "1.1": {"concepts": [{"label": "rye"}, {"label": "cereal"}]}}
    for version, answer in answers.items():
        (project.root / f"prompts/extract-v{version}.md").write_text(PROMPT.format(version=version))
        line = {"caseId": "a", "prompt": f"extract-v{version}", "response": json.dumps(answer)}
        (project.root / "raw.jsonl").write_text(json.dumps(line))
        again = open_project(project.root)
        import_responses(again, suite_of(again), project.root / "raw.jsonl", named=(f"extract-v{version}",))
    for names in (("extract-v1.0", "extract-v1.1"), ("v1.0", "v1.1"), ("prompt:v1.0", "prompts/extract-v1.1.md")):
        found = diff(again, suite_of(again), *names, RunOptions)
        assert found.moves == {"improved": 1}
        assert found.cases[0].gained == {"missedConcepts": ("cereal",)}
        assert diff_json(found)["differs"] == ["prompt extract: v1.0 → v1.1"]
        changed = [line for line in found.prompt_diffs["extract"].split("\n") if line[:1] in "+-"]
        assert '-version: "1.0"' in changed
        assert '+version: "1.1"' in changed


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("latest", UsageError, "no saved run yet"),
        ("baseline", UsageError, "there is no baseline"),
        ("nonsense", UsageError, "is not a prompt version, run, baseline or commit"),
        ("", UsageError, "is not a prompt version"),
        ("none.json", InvalidFile, "does not exist"),
        ("extract-v1.0", UsageError, "does not exist"),
        ("x" * 5000, UsageError, "is not a prompt version"),
        ("a\0b", UsageError, "is not a prompt version"),
        ("run:latest", UsageError, "no saved run yet"),
        ("run:nonsense", UsageError, "there is no run `nonsense`"),
        ("run:", UsageError, "there is no run ``"),
        ("baseline:", UsageError, "there is no baseline"),
        ("baseline:old", UsageError, "there is no baseline `old`"),
        ("prompt:extract-v1.0", UsageError, "does not exist"),
        ("prompt:nonsense", UsageError, "there is no prompt `nonsense`"),
        ("git:main", UsageError, "not a git repository"),
        ("model:", UsageError, "there is no model ``"),
    ],
)
def test_an_unknown_name_is_refused(project: Project, name: str, error: type[Exception], message: str) -> None:
    saved(project, "some.json", record("a", 0.5))
    with pytest.raises(error, match=message):
        compared(project, name, "some.json")


def test_a_bare_name_is_a_run_before_it_is_a_baseline(project: Project) -> None:
    saved(project, RUNS.format(1), record("a", 0.1))
    saved(project, "baselines/archive/20260101T.json", record("a", 0.4))
    names = Names(project, suite_of(project), RunOptions)
    openers: list[Any] = [names.find(name) for name in ("20260101T", "baseline:20260101T")]
    assert [opener.func for opener in openers] == [names._read_run, names._score_baseline]


def test_a_prompt_text_edited_since_the_run_is_reported(project: Project) -> None:
    saved(project, "old.json", record("a", 0.5))
    saved(project, "new.json", record("a", 0.6), prompts={"extract": "v1.1"}, prompt_digests={"extract": "q"})
    found = compared(project, "old.json", "new.json")
    assert found.prompt_diffs == {}
    assert found.notes == [
        "the text of extract v1.0 of old.json as it was run no longer exists",
        "the text of extract v1.1 of new.json as it was run no longer exists",
    ]


def test_an_ambiguous_beginning_a_broken_file_and_another_suite_are_refused(project: Project) -> None:
    for number in (1, 2):
        saved(project, RUNS.format(number), record("a", 0.5))
    with pytest.raises(UsageError, match="2 runs begin with"):
        compared(project, "2026", "latest")
    (project.root / "broken.json").write_text("{")
    with pytest.raises(InvalidFile, match=r"broken.json:1"):
        compared(project, "broken.json", "latest")
    saved(project, "other.json", record("a", 0.5), suite="other")
    with pytest.raises(UsageError, match="belongs to suite `other`"):
        compared(project, "other.json", "latest")
