"""What a change does to golden cases and rules: removed and loosened blocks, changed is shown, added is noted."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.bakery import IDS, answer, bakery
from tests.journeys import GOOD, POOR, RYE, draft, judged, merge, settings
from tests.projects import CASES, SUITE, Box, first

Change = Callable[[Box], object]
OLD_TEXT = CASES["rye"]["sourceText"]
CONCEPTS, RELATIONSHIPS = CASES["rye"]["expectedConcepts"], CASES["rye"]["expectedRelationships"]
LOOSE = f"[suites.{SUITE}.thresholds.recall]\nminimum = 0.1\n"


def case(**changes: Any) -> Change:
    return lambda box: box.case("rye", **changes)


def rule(text: str, table: str = "gate") -> Change:
    return lambda box: settings(box, f"[suites.{SUITE}.{table}]\n{text}\n")


def another_text(box: Box, *case_ids: str) -> None:
    for case_id in case_ids:
        box.case(case_id, sourceText=CASES[case_id]["sourceText"] + " It is so.")


def other_id(box: Box) -> None:
    box.replace(RYE, '"id": "rye"', '"id": "rice"')


def other_name(box: Box) -> None:
    box.git("mv", RYE, f"golden/{SUITE}/rye-bread.gold.json")


def alias(*names: str) -> Change:
    return case(expectedConcepts=[CONCEPTS[0] | {"aliases": list(names)}, *CONCEPTS[1:]])


BLOCKED = {
    "a case is removed": (lambda box: box.path(RYE).unlink(), "removed case rye"),
    "a case gets another id": (other_id, "removed case rye"),
    "a concept is removed": (case(expectedConcepts=CONCEPTS[:3]), "removed case rye concept:proofing"),
    "a concept is no longer required": (
        case(expectedConcepts=[*CONCEPTS[:3], CONCEPTS[3] | {"required": False}]),
        "removed case rye required:concept:proofing",
    ),
    "a relationship is removed": (
        case(expectedRelationships=RELATIONSHIPS[:1]),
        "removed case rye relationship:salt causes proofing",
    ),
    "a canary is removed": (
        case(forbiddenConcepts=["cold rye memory"]),
        "removed case rye canary:gluten lattice theory",
    ),
    "a canary is expected": (
        case(expectedConcepts=[*CONCEPTS, {"label": "gluten lattice theory"}]),
        "loosened case rye disarmed:canary:gluten lattice theory",
    ),
    "a canary is an alias": (
        alias("secale", "Gluten-Lattice Theory"),
        "loosened case rye disarmed:canary:gluten lattice theory",
    ),
    "a threshold is lowered": (rule("minimum = 0.1", "thresholds.recall"), "loosened rule threshold.recall.minimum"),
    "a threshold only warns": (
        rule("blocking = false", "thresholds.recall"),
        "loosened rule threshold.recall.blocking",
    ),
    "the limit is raised": (rule("block = 6"), "loosened rule gate.block"),
    "one limit is raised": (rule('fail = "recall:9"'), "loosened rule limit.recall"),
    "the other limit is raised": (rule("investigate = 4"), "loosened rule gate.investigate"),
    "a metric is no longer gated": (rule('metrics = ["overall"]'), "loosened rule gate.metrics"),
    "declines are announced later": (rule("declines = 9"), "loosened rule gate.declines"),
    "noise excuses more": (rule('policy = "paired"'), "loosened rule gate.policy"),
    "the gate only informs": (rule("informational = true"), "loosened rule gate.informational"),
    "a live threshold is lowered": (
        rule("minimum = 0.2", "live.thresholds.recall"),
        "loosened rule live.threshold.recall.minimum",
    ),
    "a live limit is raised": (rule("block = 50", "live.gate"), "loosened rule live.gate.block"),
}


@pytest.mark.parametrize("name", BLOCKED)
def test_less_is_asked(work: Box, name: str) -> None:
    change, key = BLOCKED[name]
    change(work)
    assert f"block criteria_{key}" in judged(work, code=1).reasons


EDITS: dict[str, tuple[Change, str]] = {
    "edited": (BLOCKED["a canary is removed"][0], "golden cases edited: rye"),
    "removed": (lambda box: box.path(RYE).unlink(), "golden cases removed: rye"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_comparison_with_the_baseline_names_edited_cases_and_what_the_hook_asks(work: Box, name: str) -> None:
    assert "golden cases" not in work.row3("--compare", code=0).out
    change, named = EDITS[name]
    change(work)
    out = " ".join(work.row3("--compare", code=0).out.split())
    assert named in out
    assert "the hook may ask for an approval: row3 --compare --against " in out
    assert "Next: commit." not in out


def test_one_limit_for_all_is_one_reason(work: Box) -> None:
    rule("block = 6")(work)
    assert judged(work, code=1).reasons == {"block criteria_loosened rule gate.block"}


NOTED = {
    "a case file has another name": (other_name, set()),
    "a comment is added": (lambda box: settings(box, "# a comment\n"), set()),
    "a canary is added": (
        case(forbiddenConcepts=[*CASES["rye"]["forbiddenConcepts"], "zz"]),
        {"added case rye canary:zz"},
    ),
    "a concept is added": (
        case(expectedConcepts=[*CONCEPTS, {"label": "dough"}]),
        {"added case rye concept:dough"},
    ),
    "a threshold is raised": (
        rule("minimum = 0.65", "thresholds.recall"),
        {"tightened rule threshold.recall.minimum"},
    ),
    "a limit is lowered": (rule('fail = "recall:3"'), {"tightened rule limit.recall"}),
    "noise excuses less": (rule('policy = "fixed"'), {"tightened rule gate.policy"}),
}


@pytest.mark.parametrize("name", NOTED)
def test_more_is_asked_and_met(work: Box, name: str) -> None:
    change, keys = NOTED[name]
    change(work)
    assert judged(work, code=0).reasons == {f"note criteria_{key}" for key in keys}


SHOWN = {
    "an alias is added": (alias("secale", "zz"), "case rye alias:concept:rye"),
    "an alias is removed": (alias(), "case rye alias:concept:rye"),
    "a weight is lower": (rule("recall = 0.1", "weights"), "rule weight.recall"),
    "names need be less alike": (rule("threshold = 0.3", "matching"), "rule matching.threshold"),
    "names match by similarity alone": (rule('rules = "plain"', "matching"), "rule matching.rules"),
    "a predicate is symmetric": (rule('symmetric = ["CAUSES"]', "predicates"), "rule predicates.symmetric"),
    "drops are relative": (rule('unit = "relative"'), "rule gate.unit"),
    "another branch is protected": (
        lambda box: box.write("row3.toml", f'protected_branch = "x"\n{box.read("row3.toml")}'),
        "rule protected_branch",
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_only_differs_is_for_a_reviewer(work: Box, name: str) -> None:
    change, key = SHOWN[name]
    change(work)
    told = judged(work, code=0)
    assert told.reasons == {f"investigate criteria_changed {key}"}


def test_the_effect_of_a_weight_is_shown_on_both_sides(work: Box) -> None:
    rule("recall = 0.1", "weights")(work)
    figures = judged(work).figures("criteria_changed", "rule weight.recall")
    assert figures["base"] == figures["candidate"] == [pytest.approx(0.85), pytest.approx(0.7)]


def test_an_easier_case_and_a_loose_rule_help_no_worse_prompt(work: Box) -> None:
    draft(work, "1.2", POOR)
    for case_id, each in CASES.items():
        work.case(case_id, expectedConcepts=each["expectedConcepts"][:2], forbiddenConcepts=[])
    settings(work, f"{LOOSE}[suites.{SUITE}.gate]\nblock = 90\ninvestigate = 80\n")
    assert judged(work, code=1).reasons >= {"block worse overall", "block entered_fail_zone recall"}


def test_an_addition_that_raises_a_score_is_a_change(work: Box) -> None:
    """What an answer says too much becomes right."""
    quote = {"label": "zz top", "sourceQuote": "Rye"}
    work.record("1.1", GOOD | {"rye": GOOD["rye"] | {"concepts": [*GOOD["rye"]["concepts"], quote]}})
    work.row3("--baseline", code=0)
    merge(work)
    work.case("rye", expectedConcepts=[*CONCEPTS, {"label": "zz top"}])
    told = judged(work, code=0)
    assert told.reasons == {"investigate criteria_changed case rye concept:zz top"}
    before, after = told.figures("criteria_changed", "case rye concept:zz top")["candidate"]
    assert after > before


def test_a_critical_mark(work: Box) -> None:
    work.case("rye", critical=True)
    work.row3("--baseline", code=0)
    assert judged(work, code=0).reasons == {"note criteria_added case rye critical"}
    merge(work)
    draft(work, "1.2", GOOD | {"rye": first(GOOD["rye"], 1)})
    assert "block critical_broke rye" in judged(work, code=1).reasons
    work.case("rye")
    assert judged(work, code=1).reasons >= {"block critical_broke rye", "block criteria_removed case rye critical"}


class TestHarderCases:
    """They lower both sides alike, so they look like no regression; what only the candidate fails by them blocks."""

    @staticmethod
    def make_harder(box: Box) -> None:
        for case_id, each in CASES.items():
            more = [{"label": f"wild {case_id} {number}"} for number in range(4)]
            box.case(case_id, expectedConcepts=[*each["expectedConcepts"], *more])

    def test_who_brings_them_is_stopped_by_nothing_that_was_so_before(self, work: Box) -> None:
        self.make_harder(work)
        draft(work, "1.2", GOOD)
        told = judged(work, code=0)
        assert told.value["verdict"] == "proceed"
        merge(work)
        settings(work, "# a comment\n")
        judged(work, code=0)

    def test_a_draft_that_is_worse_by_them_alone_is_stopped_here(self, work: Box) -> None:
        found = {
            case_id: GOOD[case_id]
            | {
                "concepts": [
                    *GOOD[case_id]["concepts"],
                    *({"label": f"wild {case_id} {number}", "sourceQuote": "Rye"} for number in range(4)),
                ]
            }
            for case_id in CASES
        }
        work.record("1.1", found)
        work.row3("--baseline", code=0)
        merge(work)
        self.make_harder(work)
        draft(work, "1.2", GOOD)
        assert "block worse overall (after)" in judged(work, code=1).reasons


class TestEditedTexts:
    """A text that changes is another question: the old one is still judged, the new one has to be answered."""

    def test_answered_it_is_shown_with_what_it_does(self, work: Box) -> None:
        another_text(work, "rye")
        assert judged(work, code=3).reasons >= {"block no_answer rye (after)"}
        work.record("1.1", {"rye": POOR["rye"]})
        told = judged(work, code=0)
        assert told.reasons == {"investigate criteria_changed case rye input"}
        before, after = told.figures("criteria_changed", "case rye input")["base"]
        assert before - after > 0.1

    def test_texts_that_are_edited_first_hide_no_worse_prompt(self, work: Box) -> None:
        another_text(work, *CASES)
        work.record("1.1", GOOD)
        judged(work, code=0)
        merge(work)
        draft(work, "1.2", POOR)
        assert "block worse overall" in judged(work, code=1).reasons

    def test_beside_a_prompt_both_texts_are_answered(self, work: Box) -> None:
        work.prompt("1.2")
        another_text(work, "rye")
        work.record("1.2", GOOD)
        assert "block no_answer rye" in judged(work, code=3).reasons
        work.case("rye")
        work.record("1.2", GOOD | {"rye": POOR["rye"]})
        another_text(work, "rye")
        assert "block no_answer rye (after)" in judged(work, code=3).reasons, "who comes next compares with v1.1"
        work.record("1.1", {"rye": GOOD["rye"]})
        told = judged(work, code=1)
        assert told.reasons >= {"investigate worse overall", "block unconfirmed recall"}, "the old text tells"

    def test_what_is_lost_on_the_new_text_alone_blocks(self, work: Box) -> None:
        draft(work, "1.2", GOOD)
        another_text(work, *CASES)
        work.record("1.1", GOOD)
        work.record("1.2", POOR)
        assert judged(work, code=1).reasons >= {"block worse overall (after)", "block entered_fail_zone recall (after)"}


def test_an_alias_that_a_new_prompt_needs_takes_two_changes_or_a_signature(work: Box) -> None:
    other = json.loads(json.dumps(GOOD))
    new = {"rye": "secale cereale", "oven": "working it", "yeast": "leaven"}
    for case_id, name in new.items():
        other[case_id]["concepts"][0]["label"] = name
    draft(work, "1.2", other)

    def add_aliases() -> None:
        for case_id, name in new.items():
            head, *rest = CASES[case_id]["expectedConcepts"]
            work.case(case_id, expectedConcepts=[head | {"aliases": [name]}, *rest])

    add_aliases()
    assert "block worse overall" in judged(work, code=1).reasons
    work.git("stash", "-q", "-u", "--", "prompts", "recordings")
    assert judged(work, code=0).value["verdict"] == "investigate"
    merge(work, "aliases")
    work.git("stash", "pop", "-q")
    assert judged(work, code=0).reasons == {"note recorded"}


class TestSources:
    """Fifteen cases; the test of recall, the one gated metric beside the composite, needs five units."""

    @pytest.fixture
    def fifteen(self, tmp_path: Any) -> Box:
        box = bakery(tmp_path / "project")
        box.write("row3.toml", f'{box.read("row3.toml")}\n[suites.{SUITE}.gate]\nmetrics = ["recall", "overall"]\n')
        for version in ("1.0", "1.1"):
            box.record(version, {case_id: answer(case_id, 4) for case_id in IDS[:15]})
        box.init()
        box.row3("promote", "v1.0", code=0)
        box.commit("v1.0")
        box.git("checkout", "-q", "-b", "work")
        return box

    @pytest.mark.parametrize(
        ("sources", "word"),
        [
            (["one"] * 15, "block criteria_loosened"),
            (["a", "b", "c", "d"] * 3 + ["a", "b", "c"], "block criteria_loosened"),
            (["a", "b", "c", "d", "e"] * 3, "investigate criteria_changed"),
            (["one"] * 3, "investigate criteria_changed"),
        ],
    )
    def test_cases_of_one_source(self, fifteen: Box, sources: list[str], word: str) -> None:
        for case_id, source in zip(IDS, sources, strict=False):
            path = f"golden/{SUITE}/{case_id}.gold.json"
            fifteen.write(path, json.dumps(json.loads(fifteen.read(path)) | {"source": source}))
        done = fifteen.row3("--compare", "--against", "main", "--format", "json").json
        assert done["verdict"] == word.split(maxsplit=1)[0]
        found = {reason["code"] for reason in done["reasons"] if reason["verdict"] == done["verdict"]}
        assert found == {word.split()[1]}


class TestQuarantine:
    @pytest.fixture
    def fifteen(self, tmp_path: Any) -> Box:
        """Fifteen cases, v1.0 promoted; v1.1 loses one of them and is as good in the others."""
        box = bakery(tmp_path / "project")
        box.record("1.0", {case_id: answer(case_id, 4) for case_id in IDS[:15]})
        box.init()
        box.row3("promote", "v1.0", code=0)
        box.commit("v1.0")
        box.git("checkout", "-q", "-b", "work")
        box.record("1.1", {case_id: answer(case_id, 4) for case_id in IDS[1:15]} | {IDS[0]: {"concepts": []}})
        return box

    @staticmethod
    def rest(box: Box, until: int = 20) -> None:
        day = datetime.now(UTC).date()
        entry = {"case": IDS[0], "since": str(day), "until": str(day + timedelta(days=until)), "reason": "wavers"}
        text = json.dumps({"schemaVersion": 1, "cases": [entry]})
        box.write(f"golden/{SUITE}/quarantine.json", text)

    def test_a_change_cannot_bring_its_own(self, fifteen: Box) -> None:
        fell = judged(fifteen, code=1).reasons
        assert "block worse overall" in fell
        self.rest(fifteen)
        assert judged(fifteen, code=1).reasons >= {*fell, f"block criteria_loosened quarantine {IDS[0]}"}

    def test_one_that_the_base_has_holds_and_a_longer_one_is_looser(self, fifteen: Box) -> None:
        fifteen.git("stash", "-q", "-u")
        self.rest(fifteen)
        merge(fifteen, "quarantine")
        fifteen.git("stash", "pop", "-q")
        assert judged(fifteen, code=0).reasons == {f"investigate quarantined_fell {IDS[0]}", "note recorded"}
        self.rest(fifteen, until=30)
        assert f"block criteria_loosened quarantine {IDS[0]}" in judged(fifteen, code=1).reasons
        fifteen.path(f"golden/{SUITE}/quarantine.json").unlink()
        told = judged(fifteen)
        assert f"note criteria_tightened quarantine {IDS[0]}" in told.reasons
        assert told.code == 1, "who comes next is judged without it"


@pytest.mark.parametrize(
    ("text", "table", "named"),
    [
        ("threshold = 0.9", "matching", "matching.threshold"),
        ('symmetric = ["REACTS_WITH"]', "predicates", "predicates.symmetric"),
        ("minimum = 0.1", "thresholds.recall", "threshold.recall.minimum"),
        ("minimum = 0.7", "thresholds.recall", "threshold.recall.minimum"),
        ('policy = "paired"', "gate", "gate.policy"),
    ],
)
def test_a_changed_rule_is_not_nothing(box: Box, text: str, table: str, named: str) -> None:
    box.row3("promote", "extract-v1.1", code=0)
    box.commit("promoted")
    assert "\nchanged   nothing\n" in box.row3("--compare", "--against", "HEAD", code=0).out
    rule(text, table)(box)
    out = box.row3("--compare", "--against", "HEAD").out
    assert f"\nchanged   rules {named}\n" in out
    assert "changed   nothing" not in out
