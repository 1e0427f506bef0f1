"""Importing, listing, verifying and pruning recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.errors import InvalidFile, UsageError
from row3.store.project import Project, Suite, open_project, pick_suite
from row3.workflows.evaluate import Overrides
from row3.workflows.lineup import line_up
from row3.workflows.recordings import Imported, import_responses, list_recordings, prune, verify
from row3.workflows.run_suite import Run, RunOptions, collect, header_for, make_asking, replay

DECOMPOSE = """---
name: decompose
version: "{version}"
output: concepts
temperature: 0
---
{{% block user %}}{version} {{{{ source_text }}}}{{% endblock %}}
"""
MAP = """---
name: map
version: "1.0"
output: relationships
---
{% block user %}{{ source_text }} {% for concept in concepts %}{{ concept.label }};{% endfor %}{% endblock %}
"""
QUOTED = [{"label": "rye", "sourceQuote": "Rye"}, {"label": "cereal", "sourceQuote": "cereal"}]
CONCEPTS = json.dumps({"concepts": QUOTED})
LINKS = json.dumps({"relationships": [{"source": "rye", "predicate": "IS_A", "target": "cereal"}]})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two cases, two versions of the first prompt, one of the second; nothing recorded."""
    (tmp_path / "prompts").mkdir()
    for version in ("1.0", "1.1"):
        (tmp_path / f"prompts/decompose-v{version}.md").write_text(DECOMPOSE.format(version=version))
    (tmp_path / "prompts/map-v1.0.md").write_text(MAP)
    (tmp_path / "row3.toml").write_text(
        '[provider]\nmodel = "m"\n[suites.bread]\npipeline = ["decompose", "map"]\n', encoding="utf-8"
    )
    for name in ("a", "b"):
        write_case(tmp_path, name, f"Rye is a cereal, says {name}.")
    return open_project(tmp_path)


def write_case(root: Path, name: str, text: str) -> None:
    case = {
        "id": name,
        "sourceText": text,
        "expectedConcepts": [{"label": "rye"}, {"label": "cereal"}],
        "expectedRelationships": [{"source": "rye", "predicate": "IS_A", "target": "cereal"}],
    }
    path = root / f"golden/bread/{name}.gold.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(case), encoding="utf-8")


def suite_of(project: Project) -> Suite:
    return pick_suite(project, None)


def response(case_id: str, prompt: str, text: str, **more: Any) -> dict[str, Any]:
    return {"caseId": case_id, "prompt": prompt, "response": text, **more}


ANSWERS = {"map": LINKS, "decompose": CONCEPTS}
BOTH = [response(case, prompt, text) for case in ("b", "a") for prompt, text in ANSWERS.items()]


def imported(project: Project, *lines: object, named: tuple[str, ...] = (), **options: Any) -> Imported:
    path = project.root / "responses.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return import_responses(project, suite_of(project), path, named=named, options=RunOptions(**options))


def replayed(project: Project, *named: str, **options: Any) -> Run:
    suite, asked = suite_of(project), RunOptions(**options)
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=named), asked)
    results = replay(project, suite, asking, asked)
    return collect(results, suite, asking.lineup, header_for(suite, asking, mode="replay"), partial=False)


def rules(project: Project) -> list[str]:
    return sorted(finding.rule for finding in verify(project, suite_of(project)))


def file_of(project: Project, prompt: str) -> Path:
    return project.recordings("bread") / f"{prompt}.jsonl"


def test_what_is_imported_replays_and_scores(project: Project) -> None:
    done = imported(project, *BOTH)
    assert (done.responses, done.changed, done.unused) == (4, 4, ())
    assert done.by_prompt == {"decompose-v1.1": 2, "map-v1.0": 2}
    run = replayed(project)
    assert run.complete
    assert run.header.metrics["overall"] == pytest.approx(0.85)
    assert imported(project, *BOTH).responses == 4
    assert len(file_of(project, "map-v1.0").read_text().splitlines()) == 2


def test_a_named_version_and_another_model_are_recorded_as_such(project: Project) -> None:
    imported(project, response("a", "decompose-v1.0", CONCEPTS), named=("decompose-v1.0",))
    assert file_of(project, "decompose-v1.0").is_file()
    imported(project, response("a", "decompose", CONCEPTS), overrides=Overrides(model="other"))
    summaries = {one.prompt: one for one in list_recordings(project, suite_of(project))}
    assert summaries["decompose-v1.1"].models == {"other"}
    assert summaries["decompose-v1.1"].stale == 0
    assert summaries["decompose-v1.1"].candidate == 0


def test_what_the_provider_told_is_kept(project: Project) -> None:
    told = {"finishReason": "length", "servedModel": "m-1", "usage": {"promptTokens": 7, "completionTokens": 5}}
    imported(project, response("a", "decompose", CONCEPTS, latencyS=1.5, **told))
    kept = json.loads(file_of(project, "decompose-v1.1").read_text())["response"]
    assert kept == {
        "text": CONCEPTS,
        "finishReason": "length",
        "servedModel": "m-1",
        "promptTokens": 7,
        "completionTokens": 5,
        "latencyS": 1.5,
    }


def test_a_later_stage_uses_the_earlier_one_that_is_recorded(project: Project) -> None:
    imported(project, response("a", "decompose", CONCEPTS))
    done = imported(project, response("a", "map", LINKS))
    assert done.by_prompt == {"map-v1.0": 1}
    assert replayed(project).collected.failed == ["b"]


def test_a_later_stage_without_the_earlier_one_is_refused_and_nothing_is_written(project: Project) -> None:
    with pytest.raises(InvalidFile, match=r"responses.jsonl:2: map-v1.0 was asked with the answer of decompose-v1.1"):
        imported(project, response("a", "decompose", CONCEPTS), response("b", "map", LINKS))
    assert not project.recordings("bread").exists()


def test_an_answer_that_cannot_be_used_leaves_the_later_stage_unused(project: Project) -> None:
    done = imported(project, response("a", "decompose", "no"), response("a", "map", LINKS))
    assert done.by_prompt == {"decompose-v1.1": 1}
    assert len(done.unused) == 1
    assert "responses.jsonl:2: never asked for" in done.unused[0]
    assert "bad-answer" in rules(project)


def test_repeats_are_questions_of_their_own(project: Project) -> None:
    lines = [response("a", "decompose", CONCEPTS, repeat=repeat) for repeat in (0, 1)]
    assert imported(project, *lines).changed == 2
    assert [finding for finding in rules(project) if finding == "stale"] == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (response("aa", "decompose", "x"), "`aa` is no golden case of the suite. Did you mean `a`"),
        (response("a", "decompose-v1.0", "x"), "`decompose-v1.0` is not among those that are imported for"),
        (response("a", "decompose-v9.9", "x"), "name others with --prompt"),
        ({"caseId": "a", "response": "x"}, "field `prompt` is missing"),
        ({"caseId": "a", "prompt": "decompose"}, "field `response` is missing"),
        (response("a", "decompose", "x", repeat=-1), "field `repeat`: -1 is not a whole number"),
        (response("a", "decompose", "x", usage={"promptTokens": "9"}), "field `promptTokens`: '9' is not"),
        (response("a", "decompose", "x", usage=[1]), "field `usage` is not an object"),
        ({"caseId": "a", "prompt": "decompose", "response": {"concepts": []}}, "field `response`"),
        (response("b", "decompose-v1.1", "x"), "stands twice, in lines 1 and 2"),
        ([], "no JSON object"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(project: Project, line: object, message: str) -> None:
    with pytest.raises(InvalidFile, match=r"responses.jsonl:2: ") as caught:
        imported(project, response("b", "decompose", CONCEPTS), line)
    assert message in str(caught.value)
    assert not project.recordings("bread").exists()


def test_two_answers_to_one_question_are_refused(project: Project) -> None:
    write_case(project.root, "b", "Rye is a cereal, says a.")
    imported(project, response("a", "decompose", CONCEPTS), response("b", "decompose", CONCEPTS))
    with pytest.raises(InvalidFile, match=r"responses.jsonl:1: another answer .* `a` has the same input"):
        imported(project, response("b", "decompose", "another"), response("a", "decompose", CONCEPTS))


def test_an_empty_file_and_an_unknown_prompt_name_are_refused(project: Project) -> None:
    with pytest.raises(InvalidFile, match="no response"):
        imported(project)
    with pytest.raises(UsageError, match="does not exist"):
        imported(project, *BOTH, named=("decompose-v7.0",))


def test_the_list_says_what_is_used_and_what_is_stale(project: Project) -> None:
    imported(project, *BOTH)
    write_case(project.root, "a", "Rye is a cereal, and so is wheat.")
    summaries = {one.prompt: one for one in list_recordings(project, suite_of(project))}
    first, second = summaries["decompose-v1.1"], summaries["map-v1.0"]
    assert (first.count, first.cases, first.models) == (2, {"a", "b"}, {"m"})
    assert (first.candidate, first.promoted, first.stale) == (1, 1, 1)
    assert first.bytes == file_of(project, "decompose-v1.1").stat().st_size
    # The second stage of case a is not reached any more: its first stage would have to be asked again.
    assert (second.candidate, second.stale) == (1, 1)


def test_verify_is_content_with_what_import_wrote(project: Project) -> None:
    imported(project, *BOTH)
    assert verify(project, suite_of(project)) == []


def test_verify_names_an_edited_answer_a_second_answer_and_a_wrong_order(project: Project) -> None:
    imported(project, *BOTH)
    path = file_of(project, "map-v1.0")
    a, b = path.read_text().splitlines()
    path.write_text(f"{b}\n{a}\n{a.replace('IS_A', 'CAUSES')}\n")
    found = verify(project, suite_of(project))
    places = {finding.rule: finding.where for finding in found}
    assert places == {
        "edited-answer": "recordings/bread/map-v1.0.jsonl:3",
        "two-answers": "recordings/bread/map-v1.0.jsonl:3",
        "unsorted": "recordings/bread/map-v1.0.jsonl:2",
    }
    path.write_text(f"{a}\n{a}\n{b}\n")
    assert rules(project) == ["twice"]


def test_verify_lists_every_broken_line_instead_of_stopping(project: Project) -> None:
    imported(project, *BOTH)
    path = file_of(project, "map-v1.0")
    lines = path.read_text().splitlines()
    path.write_bytes(f"{lines[0][:-9]}\n{lines[1]}\n<<<<<<< HEAD\n".encode() + b"\xff\n")
    found = verify(project, suite_of(project))
    assert [finding.rule for finding in found] == ["broken-line"] * 3 + ["not-checked"]


def test_verify_tells_missing_ones_and_those_of_another_model(project: Project) -> None:
    imported(project, *BOTH, overrides=Overrides(model="other"))
    assert rules(project) == ["missing"] * 2 + ["other-parameters"] * 4
    assert {finding.level for finding in verify(project, suite_of(project))} == {"warning"}


def test_prune_removes_what_is_stale_and_nothing_else(project: Project) -> None:
    imported(project, *BOTH)
    imported(project, *BOTH, overrides=Overrides(model="other"))
    imported(project, response("a", "decompose-v1.0", CONCEPTS), named=("decompose-v1.0",))
    before = {path: path.read_bytes() for path in project.recordings("bread").iterdir()}
    assert prune(project, suite_of(project)).count == 0
    assert {path: path.read_bytes() for path in project.recordings("bread").iterdir()} == before
    write_case(project.root, "a", "Rye is a cereal, and so is wheat.")
    dry = prune(project, suite_of(project), dry_run=True)
    assert {path: path.read_bytes() for path in project.recordings("bread").iterdir()} == before
    done = prune(project, suite_of(project))
    assert (
        dry.removed
        == done.removed
        == {
            "recordings/bread/decompose-v1.0.jsonl": 1,
            "recordings/bread/decompose-v1.1.jsonl": 2,
            "recordings/bread/map-v1.0.jsonl": 2,
        }
    )
    assert done.kept == 4
    assert not file_of(project, "decompose-v1.0").exists()
    assert replayed(project).collected.failed == ["a"]


def test_prune_keeps_recordings_of_a_prompt_that_left_the_pipeline_but_is_still_there(project: Project) -> None:
    imported(project, *BOTH)
    (project.root / "row3.toml").write_text('[provider]\nmodel = "m"\n[suites.bread]\npipeline = ["decompose"]\n')
    narrowed = open_project(project.root)
    assert prune(narrowed, suite_of(narrowed)).count == 0
    (project.root / "prompts/map-v1.0.md").unlink()
    assert prune(narrowed, suite_of(narrowed)).removed == {"recordings/bread/map-v1.0.jsonl": 2}


def test_prune_leaves_everything_where_a_line_is_broken(project: Project) -> None:
    imported(project, *BOTH)
    path = file_of(project, "map-v1.0")
    path.write_text(path.read_text() + "{\n")
    before = path.read_bytes()
    with pytest.raises(InvalidFile, match=r"map-v1.0.jsonl:3"):
        prune(project, suite_of(project))
    assert path.read_bytes() == before
