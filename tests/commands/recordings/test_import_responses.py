"""Importing raw responses from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.commands.recordings.import_responses import import_responses
from row3.commands.recordings.upkeep import list_recordings
from row3.domain.prompts import PromptRef, Version
from row3.errors import InvalidFile, UsageError
from row3.project.project import Project, open_project
from row3.project.prompts import Promotion, promoted_text
from row3.reports.recordings import imported_text, replaced_text, waiting_text
from row3.running.stages import Overrides
from tests.projects import next_second
from tests.two_stages import (
    BOTH,
    CONCEPTS,
    LINKS,
    file_of,
    imported,
    replayed,
    response,
    rules,
    suite_of,
    two_stages,
    write_case,
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two cases, two versions of the first prompt, one of the second; nothing recorded."""
    return two_stages(tmp_path)


def test_imported_responses_replay_and_score(project: Project) -> None:
    done = imported(project, *BOTH)
    assert (done.responses, done.merged, done.unused, done.waiting) == (4, (4, 0, 0), (), {})
    assert done.by_prompt == {"decompose-v1.1": 2, "map-v1.0": 2}
    assert done.models.keys() == done.by_prompt.keys()
    run = replayed(project)
    assert run.complete
    assert run.header.metrics["overall"] == pytest.approx(0.85)
    assert imported(project, *BOTH).merged == (0, 0, 4)
    assert len(file_of(project, "map-v1.0").read_text().splitlines()) == 2


def test_a_named_version_and_another_model_are_recorded_as_such(project: Project) -> None:
    imported(project, response("a", "decompose-v1.0", CONCEPTS), named=("decompose-v1.0",))
    assert file_of(project, "decompose-v1.0").is_file()
    imported(project, response("a", "decompose", CONCEPTS), overrides=Overrides(model="other"))
    summaries = {one.prompt: one for one in list_recordings(project, suite_of(project))}
    assert summaries["decompose-v1.1"].models == {"other"}
    assert summaries["decompose-v1.1"].stale == 0
    assert summaries["decompose-v1.1"].candidate == 0


def test_the_providers_details_are_kept(project: Project) -> None:
    told = {"finishReason": "length", "servedModel": "m-1", "usage": {"promptTokens": 7, "completionTokens": 5}}
    imported(project, response("a", "decompose", CONCEPTS, latencyS=1.5, **told))
    kept = json.loads(file_of(project, "decompose-v1.1").read_text())["response"]
    assert kept == {
        "text": CONCEPTS, "finishReason": "length", "servedModel": "m-1", "promptTokens": 7, "completionTokens": 5,
        "latencyS": 1.5,
    }  # fmt: skip


def test_a_later_stage_uses_the_recorded_earlier_answer(project: Project) -> None:
    imported(project, response("a", "decompose", CONCEPTS))
    done = imported(project, response("a", "map", LINKS))
    assert done.by_prompt == {"map-v1.0": 1}
    assert replayed(project).failed == ["b"]


def test_a_later_stage_without_the_earlier_one_is_refused_and_nothing_is_written(project: Project) -> None:
    with pytest.raises(InvalidFile, match=r"responses.jsonl:2: map-v1.0 needs the answer of decompose-v1.1 for `"):
        imported(project, response("a", "decompose", CONCEPTS), response("b", "map", LINKS))
    assert not (project.root / "recordings/bread").exists()


def test_an_unusable_answer_leaves_the_later_response_unused(project: Project) -> None:
    done = imported(project, response("a", "decompose", "no"), response("a", "map", LINKS))
    assert done.by_prompt == {"decompose-v1.1": 1}
    assert len(done.unused) == 1
    assert "responses.jsonl:2: not used" in done.unused[0]
    assert "bad-answer" in rules(project)


def test_new_and_replaced_answers_are_counted_separately(project: Project) -> None:
    imported(project, *BOTH)
    next_second()
    done = imported(project, response("a", "decompose", CONCEPTS), response("a", "map", "{}"))
    assert done.merged == (0, 1, 1)
    assert imported_text(done).endswith("2 responses read: 1 replaces an earlier answer, 1 is unchanged")


def test_an_answer_replaced_for_a_promoted_version_is_named(project: Project) -> None:
    imported(project, *BOTH)
    assert imported(project, response("a", "map", "[]")).replaced == ()
    prompt = project.prompt(PromptRef("map", Version(1, 0)))
    entry = Promotion("v1.0", prompt.digest, "2026-01-29")
    (project.root / "prompts/promoted.json").write_text(promoted_text({"map": entry}))
    assert imported(project, response("a", "map", "[]")).replaced == ()  # the same answer
    next_second()
    done = imported(project, response("a", "map", "{}"))
    assert done.replaced == ("map-v1.0",)
    assert "`row3 new-version map`" in replaced_text(done.replaced)[0]


def test_missing_answers_of_the_next_stage_are_counted(project: Project) -> None:
    done = imported(project, response("a", "decompose", CONCEPTS), response("b", "decompose", CONCEPTS))
    assert done.waiting == {"map-v1.0": 2}
    assert waiting_text(done.waiting, suite_of(project)) == [
        "2 answers of map-v1.0 are missing, which depend on these: "
        "`row3 --dry-run --mode auto --format json` has the requests"
    ]
    assert imported(project, response("a", "map", LINKS)).waiting == {}


def test_repeats_are_separate_requests(project: Project) -> None:
    lines = [response("a", "decompose", CONCEPTS, repeat=repeat) for repeat in (0, 1)]
    assert imported(project, *lines).merged.new == 2
    assert [finding for finding in rules(project) if finding == "stale"] == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (response("aa", "decompose", "x"), "`aa` is not a golden case of the suite. Did you mean `a`"),
        (response("a", "decompose-v1.0", "x"), "`decompose-v1.0` is not among those of this import"),
        (response("a", "decompose-v9.9", "x"), "the highest versions; choose others with --prompt"),
        ({"caseId": "a", "output": {"concepts": []}}, "`row3 score bread --outputs FILE` takes lines with an `output`"),
        ({"digest": "d", "caseId": "a", "request": {}, "response": {}}, "the line is a recording"),
        ({"caseId": "a", "response": "x"}, "field `prompt` is missing"),
        ({"caseId": "a", "prompt": "decompose"}, "field `response` is missing"),
        (response("a", "decompose", "x", repeat=-1), "field `repeat`: should be a whole number >= 0, not `-1`"),
        (
            response("a", "decompose", "x", usage={"promptTokens": "9"}),
            'field `usage.promptTokens`: should be a whole number or null, not `"9"`',
        ),
        (response("a", "decompose", "x", repeat=100), "field `repeat`: should be a whole number < 100, not `100`"),
        (response("a", "decompose", "x", latencyS=2**60), "field `latencyS`: should be a n"),
        (
            response("a", "decompose", "x", usage={"promptTokens": 10**20}),
            "field `usage.promptTokens`: should be a whole number",
        ),
        (response("a", "decompose", "x", usage=[1]), "field `usage`: should be an object or null, not an array"),
        (
            {"caseId": "a", "prompt": "decompose", "response": {"concepts": []}},
            "field `response`: should be the raw text that the model wrote, as a JSON string, not an object",
        ),
        ({"caseId": "a", "prompt": "decompose", "response": 7}, "as a JSON string, not `7`"),
        (response("b", "decompose-v1.1", "x"), "lines 1 and 2 both answer case `b`, decompose-v1.1, repeat 0"),
        ([], "not a JSON object"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(project: Project, line: object, message: str) -> None:
    with pytest.raises(InvalidFile, match=r"responses.jsonl:2: ") as caught:
        imported(project, response("b", "decompose", CONCEPTS), line)
    assert message in str(caught.value)
    assert not (project.root / "recordings/bread").exists()


OWN_SHAPE = 'Write one object a line: {"caseId": "…", "prompt": "…", "response": "…"}'


@pytest.mark.parametrize("line", ['{"caseId": "a", "output": {}}', '{"caseId": "a", ', "[]", '{"id": "a"}', ""])
def test_a_line_that_is_not_a_response_shows_the_expected_format(project: Project, line: str) -> None:
    file = project.root / "responses.jsonl"
    file.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(InvalidFile) as caught:
        import_responses(project, suite_of(project), file)
    assert OWN_SHAPE in str(caught.value)
    assert "{…}" not in str(caught.value)


def test_a_number_that_overflows_is_refused(project: Project) -> None:
    file = project.root / "responses.jsonl"
    file.write_text('{"caseId": "a", "prompt": "decompose", "response": "{}", "latencyS": 1e400}\n', encoding="utf-8")
    with pytest.raises(InvalidFile, match="1e400 is too large for a number"):
        import_responses(project, suite_of(project), file)


def test_two_answers_to_one_request_are_refused(project: Project) -> None:
    write_case(project.root, "b", "Rye is a cereal, says a.")
    imported(project, response("a", "decompose", CONCEPTS), response("b", "decompose", CONCEPTS))
    with pytest.raises(InvalidFile, match=r"responses.jsonl:1: .* sends the same request for `a` and `b`, but"):
        imported(project, response("b", "decompose", "another"), response("a", "decompose", CONCEPTS))


def test_an_empty_file_and_an_unknown_prompt_name_are_refused(project: Project) -> None:
    with pytest.raises(InvalidFile, match="no response"):
        imported(project)
    with pytest.raises(UsageError, match="does not exist"):
        imported(project, *BOTH, named=("decompose-v7.0",))


COPY = """---
name: decompose
version: "1.1"
description: Another description.
output: concepts
temperature: 0
---
{% block user %}1.0 {{ source_text }}{% endblock %}
"""
FEWER = json.dumps({"concepts": [{"label": "rye", "sourceQuote": "Rye"}]})


@pytest.fixture
def copied(project: Project) -> Project:
    """Version 1.1 is an unedited copy of 1.0, which has answers."""
    (project.root / "prompts/decompose-v1.1.md").write_text(COPY)
    imported(project, *[response(case, "decompose", CONCEPTS) for case in "ab"], named=("decompose-v1.0",))
    return project


def recorded(project: Project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (project.root / "recordings/bread").iterdir()}


def edit(project: Project, version: str) -> None:
    path = project.root / f"prompts/decompose-v{version}.md"
    path.write_text(path.read_text().replace("1.0 {{", "Read {{"))


def test_an_unedited_copy_does_not_replace_the_originals_answers(copied: Project) -> None:
    before = recorded(copied)
    same, other = response("a", "decompose", CONCEPTS), response("b", "decompose", FEWER)
    with pytest.raises(UsageError, match=r"responses.jsonl:2: ") as caught:
        imported(copied, same, other)
    assert "decompose-v1.1 and decompose-v1.0 send the same request for `b`" in str(caught.value)
    assert "Edit prompts/decompose-v1.1.md first, or import them as that version's answers" in str(caught.value)
    assert recorded(copied) == before


@pytest.mark.parametrize("name", ["decompose", "decompose-v1.1"])
def test_they_become_the_originals_answers_if_named_so(copied: Project, name: str) -> None:
    with pytest.raises(UsageError, match="name it in the field `prompt` and with --prompt"):
        imported(copied, response("b", name, FEWER))
    assert imported(copied, response("b", "decompose-v1.0", FEWER), named=("decompose-v1.0",)).merged.replaced == 1
    assert set(recorded(copied)) == {"decompose-v1.0.jsonl"}


def test_the_original_may_be_answered_anew_and_the_copy_alike(copied: Project) -> None:
    imported(copied, response("b", "decompose", FEWER), named=("decompose-v1.0",))
    imported(copied, response("b", "decompose", FEWER))
    assert set(recorded(copied)) == {"decompose-v1.0.jsonl", "decompose-v1.1.jsonl"}
    with pytest.raises(UsageError, match="Edit prompts/decompose-v1.1.md first, or"):
        imported(copied, response("b", "decompose", CONCEPTS), named=("decompose-v1.0",))
    edit(copied, "1.1")
    assert imported(copied, response("b", "decompose", CONCEPTS), named=("decompose-v1.0",)).merged.replaced == 1


@pytest.mark.parametrize("edited", ["1.1", "1.0"])
def test_an_answer_the_other_version_no_longer_needs_is_replaced(copied: Project, edited: str) -> None:
    edit(copied, edited)
    assert imported(copied, response("b", "decompose", FEWER)).merged.new + (edited == "1.0") == 1
    assert len(file_of(copied, "decompose-v1.0").read_text().splitlines()) == (2 if edited == "1.1" else 1)


def test_each_file_of_a_folder_is_an_answer(project: Project, tmp_path: Path) -> None:
    imported(project, response("a", "map", LINKS), response("a", "decompose", CONCEPTS))
    folder = tmp_path / "pasted"
    folder.mkdir()
    (folder / "c.txt").write_text(CONCEPTS)
    with pytest.raises(InvalidFile, match="field `prompt` is missing"):  # there are two
        import_responses(project, suite_of(project), folder)
    (project.root / "row3.toml").write_text('[provider]\nmodel = "m"\n[suites.bread]\npipeline = ["decompose"]\n')
    project = open_project(project.root)
    with pytest.raises(InvalidFile, match="`c` is not a golden case"):
        import_responses(project, suite_of(project), folder)
    (folder / "c.txt").rename(folder / "b.txt")
    assert import_responses(project, suite_of(project), folder).by_prompt == {"decompose-v1.1": 1}
