from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from row3.commands.aliases import Decider, review
from row3.errors import UsageError
from row3.gate.alias_review import Unmatched
from row3.project.project import open_project, pick_suite
from tests.projects import Box
from tests.reviews import REVIEWED, RYE, reviewable, with_items


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    return reviewable(tmp_path / "project")


def opened(box: Box) -> tuple[Decider, dict[str, Unmatched]]:
    project = open_project(box.root)
    suite = pick_suite(project, None)
    return Decider(project, suite), {one.label: one for one in review(project, suite).items}


def case(box: Box) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(box.read(RYE))
    return value


def test_an_alias_is_written_with_its_reason_and_is_not_asked_about_again(box: Box) -> None:
    decider, items = opened(box)
    one = items["final proofing"]
    done = decider.alias(one, one.candidates[0])
    assert (done.verdict, done.name, done.concept, done.file) == ("alias", "final proofing", "proofing", RYE)
    assert case(box)["expectedConcepts"][3] == {"label": "proofing", "aliases": ["final proofing"]}
    (entry,) = case(box)["history"]
    assert entry["change"] == "alias `final proofing` of `proofing`"
    assert "not in the text" in entry["reason"]
    assert set(opened(box)[1]) == {"Steam keeps", "NaCl", "oat"}, "the fuzzy rule matches `final proofings` as well"
    assert not decider.is_open(items["final proofings"])
    assert decider.is_open(items["oat"])


def test_items_of_cases_in_lines_are_judged_but_the_file_is_not_edited(box: Box) -> None:
    files = sorted(box.path("golden/bread").glob("*.gold.json"))
    lines = [json.dumps(json.loads(path.read_text())) for path in files]
    box.write("golden/bread/all.jsonl", "\n".join(lines))
    for path in files:
        path.unlink()
    decider, items = opened(box)
    assert {items[label].file for label in ("Steam keeps", "oat")} == {
        "golden/bread/all.jsonl#L1",
        "golden/bread/all.jsonl#L2",
    }
    assert decider.is_open(items["oat"])
    with pytest.raises(UsageError, match="all.jsonl#L2: only cases with a file of their own are edited"):
        decider.canary(items["oat"])
    decider.wrong(items["oat"])
    assert "oat" in box.read(REVIEWED)
    assert "oat" not in opened(box)[1]


def test_a_canary_is_written(box: Box) -> None:
    decider, items = opened(box)
    decider.canary(items["oat"])
    assert case(box)["forbiddenConcepts"][-1] == "oat"
    assert case(box)["history"][0]["change"] == "canary `oat`"


def test_an_item_in_the_text_cannot_be_a_canary(box: Box) -> None:
    decider, items = opened(box)
    before = box.tree()
    with pytest.raises(UsageError, match=r"golden/bread/oven\.gold\.json field forbiddenConcepts\.1: .* occurs in"):
        decider.canary(items["Steam keeps"])
    assert box.tree() == before


def test_an_item_similar_to_an_expected_name_cannot_be_a_canary(box: Box) -> None:
    decider, items = opened(box)
    one = items["oat"]
    box.replace(RYE, '"label": "cereal"', '"label": "oat"')
    with pytest.raises(UsageError, match="too close to the expected `oat`"):
        decider.canary(one)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"secale"', '"Final  Proofing"', "`final proofing` is also a name of `rye`"),
        ('"cold rye memory"', '"final proofing"', "too close to the expected `proofing`"),
        ('"label": "proofing"', '"label": "rising"', "has moved"),
        ('"label": "proofing"', '"label": "proofing", "aliases": ["final proofing"]', "already one of its names"),
    ],
)
def test_an_alias_for_a_case_that_changed_meanwhile_is_refused(box: Box, old: str, new: str, says: str) -> None:
    decider, items = opened(box)
    one = items["final proofing"]
    box.replace(RYE, old, new)
    before = box.tree()
    with pytest.raises(UsageError, match=says) as caught:
        decider.alias(one, one.candidates[0])
    assert RYE in str(caught.value)
    assert box.tree() == before


def test_an_alias_similar_to_a_canary_is_refused(box: Box) -> None:
    decider, items = opened(box)
    one = items["final proofing"]
    box.replace(RYE, '"cold rye memory"', '"final prooving"')
    with pytest.raises(UsageError, match="too close to the expected `proofing`"):
        decider.alias(one, one.candidates[0])


def test_undoing_restores_every_byte(box: Box) -> None:
    box.write(RYE, box.read(RYE).replace("\n", "\r\n"))
    decider, items = opened(box)
    before = box.tree()
    one = items["final proofing"]
    done = [decider.alias(one, one.candidates[0]), decider.canary(items["oat"]), decider.wrong(items["NaCl"])]
    assert REVIEWED in box.tree()
    for decision in reversed(done):
        decider.undo(decision)
    assert box.tree() == before


def test_undoing_keeps_the_changes_of_others(box: Box) -> None:
    decider, items = opened(box)
    done = decider.canary(items["oat"])
    box.replace(RYE, '"secale"', '"secale", "rye grain"')
    before = box.tree()
    with pytest.raises(UsageError, match="was changed after the decision"):
        decider.undo(done)
    assert box.tree() == before


def test_a_real_miss_is_remembered(box: Box) -> None:
    decider, items = opened(box)
    assert decider.wrong(items["final proofing"]).file == REVIEWED
    assert "final proofing" not in opened(box)[1]


def test_undoing_a_judgement_made_again_leaves_the_first_one(box: Box) -> None:
    decider, items = opened(box)
    decider.wrong(items["oat"])
    earlier = re.sub(r'"date": "\d{4}', '"date": "2020', box.path(REVIEWED).read_text(encoding="utf-8"))
    box.write(REVIEWED, earlier)
    before = box.tree()
    decider.undo(decider.wrong(items["oat"]))
    assert box.tree() == before


def test_a_name_with_invisible_characters_is_not_written(box: Box) -> None:
    box.prompt("1.4")
    box.record("1.4", {"rye": with_items("rye", "proofing", "lunar\x01rise")})
    decider, items = opened(box)
    one = items["lunar\x01rise"]
    with pytest.raises(UsageError, match="invisible characters"):
        decider.canary(one)


def test_a_name_is_written_without_invisible_characters(box: Box) -> None:
    box.prompt("1.4")
    box.record("1.4", {"rye": with_items("rye", "proofing", "bulk\u200b \n rise\u00ad")})
    decider, items = opened(box)
    one = next(one for one in items.values() if "rise" in one.label)
    assert decider.alias(one, one.candidates[0]).name == "bulk rise"
    assert case(box)["expectedConcepts"][3]["aliases"] == ["bulk rise"]
