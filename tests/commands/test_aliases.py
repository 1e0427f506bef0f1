from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.commands.aliases import review
from row3.errors import InvalidFile, UsageError
from row3.gate.alias_review import AliasReview, Unmatched
from row3.project.project import open_project, pick_suite
from tests.projects import Box
from tests.reviews import reviewable, with_items


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    return reviewable(tmp_path / "project")


def gathered(box: Box, **options: object) -> AliasReview:
    project = open_project(box.root)
    return review(project, pick_suite(project, None), **options)  # type: ignore[arg-type]


def item(found: AliasReview, label: str) -> Unmatched:
    return next(one for one in found.items if one.label == label)


def test_every_recorded_version_counts(box: Box) -> None:
    found = gathered(box)
    assert [(one.case_id, one.label) for one in found.items] == [
        ("oven", "Steam keeps"),
        ("rye", "final proofing"),
        ("rye", "final proofings"),
        ("rye", "NaCl"),
        ("rye", "oat"),
    ]
    one = item(found, "final proofing")
    assert (one.count, one.answers) == (1, 4)
    assert one.prompts == {"extract": ("v1.2",)}
    assert (found.cases, found.answers) == (3, 9)


def test_the_nearest_missed_concept_comes_first(box: Box) -> None:
    first = item(gathered(box), "final proofing").candidates[0]
    assert (first.label, first.missed, first.position) == ("proofing", 1, 3)
    assert first.score == pytest.approx(0.9)


def test_a_missed_concept_in_the_same_sentence_is_a_candidate(box: Box) -> None:
    one = item(gathered(box), "NaCl")
    assert one.stands == "quote"
    assert one.place is not None
    assert one.place.sentence == "Salt slows the proofing of a dough."
    assert [(c.label, c.same_sentence, c.missed) for c in one.candidates] == [("proofing", True, 1)]


def test_where_an_item_occurs_in_the_text(box: Box) -> None:
    found = gathered(box)
    steam = item(found, "Steam keeps")
    assert steam.in_text
    assert steam.place is not None
    assert steam.place.sentence == "Steam keeps the crust soft."
    oat = item(found, "oat")
    assert (oat.stands, oat.place, oat.quote) == ("nowhere", None, "")


def test_a_repeat_counts_and_a_copy_of_a_prompt_does_not(box: Box) -> None:
    box.record("1.2", {"rye": with_items("rye", "proofing", "final proofing")}, repeat=1)
    text = box.read("prompts/extract-v1.2.md")
    head, _, body = text.partition("\n---\n")
    box.write("prompts/extract-v1.9.md", head.replace("1.2", "1.9") + "\n---\n" + body)
    one = item(gathered(box), "final proofing")
    assert (one.count, one.answers) == (2, 5)
    assert one.prompts == {"extract": ("v1.2", "v1.9")}


def test_only_the_named_version_counts(box: Box) -> None:
    found = gathered(box, named=("extract-v1.2",))
    assert [one.label for one in found.items] == ["final proofing"]
    assert (found.cases, found.unanswered) == (1, ("oven", "yeast"))


def test_an_unreadable_answer_is_ignored(box: Box) -> None:
    box.prompt("1.4")
    box.record("1.4", {"yeast": "I am sorry."})
    assert gathered(box, only={"yeast"}, named=("extract-v1.1",)).answers == 1
    with pytest.raises(InvalidFile, match="recordings/bread/"):
        gathered(box, only={"yeast"}, named=("extract-v1.4",))


def test_an_edited_answer_is_refused(box: Box) -> None:
    box.replace("recordings/bread/extract-v1.2.jsonl", "final proofing", "final roofing")
    with pytest.raises(InvalidFile, match=r"extract-v1\.2\.jsonl:1: the recorded answer was edited"):
        gathered(box)


def test_without_recordings_there_is_nothing_to_review(box: Box) -> None:
    for path in (box.root / "recordings/bread").iterdir():
        path.unlink()
    with pytest.raises(InvalidFile, match="none of the 3 cases has a readable recorded answer"):
        gathered(box)


def test_an_unknown_prompt_and_an_unknown_case_are_refused(box: Box) -> None:
    with pytest.raises(UsageError, match=r"extract-v7\.0"):
        gathered(box, named=("extract-v7.0",))


def test_concepts_of_an_earlier_stage_are_reviewed_without_the_later_one(box: Box) -> None:
    """As while the second prompt is being edited: the first one's answers are still there."""
    matter = '---\nname: {name}\nversion: "1.0"\noutput: {output}\n---\n'
    blocks = "{{% block system %}}x{{% endblock %}}{{% block user %}}{body}{{% endblock %}}"
    for name, output, body in (("one", "concepts", "{{ source_text }}"), ("two", "relationships", "{{ concepts }}")):
        box.write(f"prompts/{name}-v1.0.md", matter.format(name=name, output=output) + blocks.format(body=body))
    box.write("row3.toml", box.read("row3.toml") + '[suites.bread]\npipeline = ["one", "two"]\n')
    broken = matter.format(name="two", output="relationships").replace("1.0", "1.1") + blocks.format(
        body="{{ nothing }}"
    )
    box.write("prompts/two-v1.1.md", broken)
    line = {"caseId": "rye", "prompt": "one-v1.0", "response": json.dumps({"concepts": [{"label": "cold proofing"}]})}
    box.write("responses.jsonl", json.dumps(line) + "\n")
    box.row3("recordings", "import", "responses.jsonl", "--prompt", "two-v1.0", code=0)
    found = gathered(box)
    assert [one.label for one in found.items] == ["cold proofing"]
    assert found.items[0].prompts == {"one": ("v1.0",)}
