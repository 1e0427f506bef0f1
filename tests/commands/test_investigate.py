"""`row3 investigate` on answers that are wrong in known ways."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.commands.investigate import fall_of, investigate
from row3.commands.investigation import Investigation
from row3.comparing.baseline import save_baseline
from row3.domain.requests import Answer
from row3.domain.scores import Metric
from row3.errors import RunIncomplete, UsageError
from row3.gate.policy import GatePolicy
from row3.kinds.checklist import Reply
from row3.kinds.mistakes import Mistake
from row3.project.project import Project, open_project, pick_suite
from row3.project.recording_lines import merge, to_line
from row3.project.suites import Suite
from row3.running.evaluate import steps
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking
from row3.running.session import open_session
from tests.projects import CASES, Box, first, flawless, tiny

TEXT = (
    "Rye is a cereal. Salt slows the proofing. Wild yeast drives\nfermentation, and fermentation sours the dough.\n\n"
    "A sourdough depends on wild yeast (Dr. Fermi said so). Kneading comes before proofing! "
    "The lactic acid bacterium lives in sourdough."
)
CASE: dict[str, Any] = {
    "id": "bread",
    "topic": "Bread",
    "sourceText": TEXT,
    "expectedConcepts": [
        {"label": "rye"},
        {"label": "cereal"},
        {"label": "salt"},
        {"label": "proofing"},
        {"label": "wild yeast"},
        {"label": "fermentation"},
        {"label": "lactic acid bacterium", "aliases": ["LAB species"], "required": False},
        {"label": "gluten formation", "inferred": True, "required": False},
        {"label": "sourdough", "aliases": ["leaven"]},
        {"label": "kneading"},
    ],
    "expectedRelationships": [
        {"source": "rye", "target": "cereal", "predicate": "IS_A"},
        {"source": "salt", "target": "proofing", "predicate": "CAUSES"},
        {"source": "sourdough", "target": "wild yeast", "predicate": "REQUIRES"},
        {"source": "kneading", "target": "proofing", "predicate": "PRECEDES"},
        {"source": "wild yeast", "target": "fermentation", "predicate": "CAUSES"},
    ],
    "forbiddenConcepts": ["crumb osmosis"],
    "forbiddenRelationships": [{"source": "proofing", "target": "salt", "predicate": "CAUSES"}],
}
CONCEPTS = [
    ("rye", "Rye is a cereal."),
    ("cereal", ""),
    ("salt", "Salt really slows the proofing."),
    ("proofing", "Bread rises because of enzymes and nothing else"),
    ("wild yeast", "Wild yeast drives fermentation"),
    ("leaven", "A sourdough depends on wild yeast"),
    ("sourdough", "A sourdough depends on wild yeast"),
    ("LAB", "The lactic acid bacterium lives in sourdough."),
    ("crumb osmosis", "x y z"),
    ("dough", "sours the dough"),
    ("moon *phase*", ""),
]
LINKS = [
    ("rye", "CAUSES", "cereal"),
    ("proofing", "CAUSES", "salt"),
    ("wild yeast", "REQUIRES", "sourdough"),
    ("rye", "IS_A", "dough"),
    ("moon *phase*", "PRECEDES", "rye"),
]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "golden/bakery"
    folder.mkdir(parents=True)
    (folder / "bread.gold.json").write_text(json.dumps(CASE))
    (folder / "beer.gold.json").write_text(json.dumps(CASE | {"id": "beer"}))
    (tmp_path / "prompts").mkdir()
    for name, output in (("find", "concepts"), ("connect", "relationships")):
        front = f'name: {name}\nversion: "1.0"\noutput: {output}\ntemperature: 0'
        body = "{% block user %}{{ source_text }}{% endblock %}"
        (tmp_path / f"prompts/{name}-v1.0.md").write_text(f"---\n{front}\n---\n{body}\n")
    (tmp_path / "row3.toml").write_text('[provider]\nmodel = "m"\n')
    return open_project(tmp_path)


def _suite(project: Project) -> Suite:
    return pick_suite(project, "bakery")


def record(project: Project, *texts: str, finish_reason: str = "stop") -> None:
    """Record these answers to the case's requests, in the order of the pipeline."""
    suite = _suite(project)
    asking = make_asking(suite, line_up(project, suite, role="candidate"), RunOptions())
    walk = steps(asking, project.cases.case("golden/bakery/bread.gold.json", suite.kind))
    request = next(walk)
    for text in texts:
        answer = Answer(text, finish_reason=finish_reason)
        merge(
            project.root,
            "bakery",
            [to_line(request, answer, recorded_at="2026-01-29T00:00:00Z")],
        )
        try:
            request = walk.send(answer)
        except StopIteration:
            return


def looked_into(project: Project, concepts: Any = None, links: Any = None) -> Investigation:
    found = [{"label": label, "sourceQuote": quote} for label, quote in concepts or CONCEPTS]
    triples = [{"source": a, "predicate": p, "target": b} for a, p, b in LINKS if links is None]
    record(project, json.dumps({"concepts": found}), json.dumps({"relationships": links or triples}))
    return investigate(project, _suite(project), ["bread"], RunOptions())


def listed(found: Investigation, part: str) -> dict[str, Mistake]:
    return {fault.label: fault for fault in found.evidence.of(part)}


def causes(found: Investigation, part: str) -> dict[str, str]:
    return {label: fault.cause for label, fault in listed(found, part).items()}


def ask(found: Investigation, beginning: str) -> Reply:
    return next(reply for _, question, reply in found.evidence.asked() if question.startswith(beginning))


def labels(reply: Reply) -> list[str]:
    return [fault.label for fault in reply.faults]


def test_missed_concepts_with_their_place_and_the_nearest_extracted(project: Project) -> None:
    found = looked_into(project)
    assert causes(found, "missed") == {
        "fermentation": "stated", "lactic acid bacterium": "near", "gluten formation": "implied",
        "kneading": "stated",
    }  # fmt: skip
    missed = listed(found, "missed")
    place = missed["fermentation"].place
    assert place is not None
    assert TEXT[place.start : place.end] == "fermentation"
    assert (place.paragraph, place.line) == (1, 2)
    assert place.sentence == "Wild yeast drives\nfermentation, and fermentation sours the dough."
    assert missed["gluten formation"].place is None
    assert missed["lactic acid bacterium"].other == "LAB"
    assert missed["kneading"].other == ""


def test_unexpected_concepts(project: Project) -> None:
    found = looked_into(project)
    assert causes(found, "extra") == {
        "LAB": "ungrounded", "crumb osmosis": "canary", "dough": "unexpected", "moon *phase*": "ungrounded",
        "sourdough": "duplicate",
    }  # fmt: skip
    assert listed(found, "extra")["dough"].place is not None
    assert listed(found, "extra")["sourdough"].other == "sourdough"


def test_wrong_relationships_by_cause(project: Project) -> None:
    found = looked_into(project)
    assert causes(found, "wrong") == {
        "rye CAUSES cereal": "wrong-predicate",
        "proofing CAUSES salt": "forbidden",
        "wild yeast REQUIRES sourdough": "reversed",
        "rye IS_A dough": "invented-end",
        "moon *phase* PRECEDES rye": "invented-end",
    }
    item = listed(found, "wrong")["wild yeast REQUIRES sourdough"]
    assert item.other == "sourdough REQUIRES wild yeast"
    assert item.place is not None
    assert item.place.sentence == "A sourdough depends on wild yeast (Dr. Fermi said so)."
    assert {item.place.sentence[a:b] for a, b in item.place.marks} == {"sourdough", "wild yeast"}
    assert listed(found, "wrong")["moon *phase* PRECEDES rye"].place is None


def test_quotes_that_are_missing_changed_or_made_up(project: Project) -> None:
    found = looked_into(project)
    assert causes(found, "evidence") == {
        "cereal": "missing", "salt": "made-up", "proofing": "made-up", "LAB": "unsupported",
        "crumb osmosis": "made-up", "moon *phase*": "missing",
    }  # fmt: skip
    quotes = listed(found, "evidence")
    salt = quotes["salt"]
    assert salt.place is not None
    assert salt.place.sentence == "Salt slows the proofing."
    assert quotes["cereal"].place is not None
    assert quotes["moon *phase*"].place is None


def test_missed_relationships_say_whether_an_end_was_missed(project: Project) -> None:
    found = looked_into(project)
    lost = listed(found, "lost")
    assert (lost["kneading PRECEDES proofing"].cause, lost["kneading PRECEDES proofing"].other) == (
        "end-missed",
        "kneading",
    )
    assert lost["salt CAUSES proofing"].cause == "ends-there"


def test_the_checklist_is_answered_from_the_data(project: Project) -> None:
    found = looked_into(project)
    explicit = ask(found, "Are they mentioned explicitly")
    assert (explicit.text, labels(explicit)) == (
        "partly: 3 of 4",
        ["fermentation", "lactic acid bacterium", "kneading"],
    )
    assert labels(ask(found, "Are they on the forbidden list")) == ["crumb osmosis"]
    assert ask(found, "Are the ends right").text == "partly: 1 of 5"
    assert labels(ask(found, "Are they reversed")) == ["wild yeast REQUIRES sourdough"]
    assert ask(found, "Are the predicates clear").text == "CAUSES for IS_A"
    assert ask(found, "Is the temperature").text == "no, it is 0"
    assert ask(found, "Is quoting clear").text == "the prompt does not mention quotes"
    assert ask(found, "Should the golden case be updated?").open
    assert not ask(found, "Are they reversed").open


def test_faults_agree_with_the_metrics(project: Project) -> None:
    found = looked_into(project)
    (case,) = found.cases
    rate = next(symptom.value for symptom in case.symptoms if symptom.metric.key == "hallucinationRate")
    canaries = labels(ask(found, "Are they on the forbidden list (hallucinations)"))
    assert rate == len(canaries) / found.evidence.sizes["extra"]
    for part in found.evidence.parts:
        of_part = [group for group in found.groups if group.part == part.key]
        assert sum(len(group.faults) for group in of_part) == len(found.evidence.of(part.key))


def test_fixes_follow_from_what_went_wrong(project: Project) -> None:
    fixes = "\n".join(looked_into(project).fixes)
    for words in (
        "a few-shot example, for instance with `fermentation` (missed: 2)",
        "say which form a label takes, `lactic acid bacterium` or `LAB`",
        "only what the text says",
        "copied character by character",
        "connect-v1.0: distinguish the two predicates, `CAUSES for IS_A`",
        "say which end is the source",
        "only what a sentence states",
        "2 wrong relationships have an unexpected concept as an end",
        "2 missed relationships lack an end",
    ):
        assert words in fixes


def test_the_plan_names_the_commands(project: Project) -> None:
    plan = looked_into(project).plan
    assert plan[0].startswith("Make the change in `prompts/")
    assert any("`row3 --case bread --compare`" in step for step in plan)
    assert any("`row3 --compare`" in step for step in plan)


def test_a_flawless_answer_leaves_nothing_to_fix(project: Project) -> None:
    concepts = [(one["label"], "rye" if "inferred" in one else one["label"]) for one in CASE["expectedConcepts"]]
    found = looked_into(project, concepts, CASE["expectedRelationships"])
    assert found.evidence.faults == ()
    assert not found.cases[0].fails
    assert found.fixes == []
    assert found.plan[0].startswith("No change is needed")


def test_an_unreadable_answer_has_one_fault(project: Project) -> None:
    record(project, '{"concepts": [{"label": "ry', finish_reason="length")
    found = investigate(project, _suite(project), ["bread"], RunOptions())
    (case,) = found.cases
    assert (case.status, case.raw) == ("bad_answer", '{"concepts": [{"label": "ry')
    assert "cut off by the token limit" in case.problem
    assert {s.value for s in case.symptoms} <= {0.0, None}
    assert [(fault.cause, fault.pair) for fault in found.evidence.faults] == [
        ("unusable", "cut off by the token limit")
    ]
    assert "raise `max_tokens`" in found.fixes[0]


def test_an_answer_that_is_cut_off_but_readable(project: Project) -> None:
    record(project, '{"concepts": []}', '{"relationships": []}', finish_reason="length")
    found = investigate(project, _suite(project), ["bread"], RunOptions())
    asked = {question: reply.text for _, question, reply in found.evidence.asked(all_parts=True)}
    assert asked["Are answers cut off?"] == "those of find-v1.0, connect-v1.0"


def test_a_named_case_without_an_answer_is_an_incomplete_run(project: Project) -> None:
    with pytest.raises(RunIncomplete, match="no recording") as error:
        investigate(project, _suite(project), ["bread"], RunOptions())
    assert error.value.exit_code == 3


def test_an_unknown_case_names_the_near_miss(project: Project) -> None:
    with pytest.raises(UsageError, match="Did you mean `bread`"):
        investigate(project, _suite(project), ["braed"], RunOptions())
    with pytest.raises(UsageError, match="no case matches `zzzzzz`"):
        investigate(project, _suite(project), ["zzzzzz"], RunOptions())


def test_without_a_name_all_failing_cases_are_grouped_by_cause(project: Project) -> None:
    found = looked_into(project)
    everything = investigate(project, _suite(project), [], RunOptions())  # the other case has the same text
    assert [case.id for case in everything.cases] == ["beer", "bread"]
    once = {(group.words, len(group.faults)) for group in found.groups}
    assert {(group.words, len(group.faults) / 2) for group in everything.groups} == once
    assert {group.cases for group in everything.groups} == {2}


def test_a_case_without_an_answer_does_not_hide_the_failing_ones(project: Project) -> None:
    looked_into(project)
    (project.root / "golden/bakery/beer.gold.json").write_text(json.dumps(CASE | {"id": "beer", "sourceText": "Ale."}))
    found = investigate(project, _suite(project), [], RunOptions())
    assert ([case.id for case in found.cases], found.of, found.unanswered) == (["bread"], 2, ("beer",))


def test_a_case_is_compared_with_the_baseline(project: Project) -> None:
    looked_into(project)
    (project.root / "golden/bakery/beer.gold.json").unlink()
    save_baseline(open_session(project.root, "bakery", RunOptions()))
    again = open_project(project.root)
    found = investigate(again, _suite(again), ["bread"], RunOptions())
    (case,) = found.cases
    recall = next(symptom for symptom in case.symptoms if symptom.metric.key == "recall")
    assert (recall.value, recall.baseline) == (0.6, 0.6)
    assert found.good.startswith("the baseline of 20")
    assert found.good.endswith(": find v1.0, connect v1.0, m")
    assert all(group.before == len(group.faults) for group in found.groups)


# What fell against the baseline beyond the limit

RECALL = Metric("recall", "Recall")
RATE = Metric("rate", "Rate", higher_is_better=False)
POLICY = GatePolicy(metrics=("recall",), limits={"rate": 3.0})
fractions = st.floats(0, 1)


@pytest.fixture
def fallen(tmp_path: Path) -> Box:
    """The baseline finds all of a case, v1.2 three of four concepts: above the target of 70 %, and 25 points lower."""
    box = tiny(tmp_path / "bakery")
    box.row3("--baseline", code=0)  # nothing is promoted: the highest version, which finds everything
    box.prompt("1.2")
    box.record("1.2", {case_id: first(flawless(case), 3) for case_id, case in CASES.items()})
    return box


def test_a_block_without_a_metric_under_its_target_names_what_fell(fallen: Box) -> None:
    assert "Concept recall is worse by 25.0 points" in fallen.row3("--compare", "-v", code=1).out
    out = fallen.row3("investigate", "yeast", code=0).out
    assert "Concept recall 75.0% (fell 25.0 points, limit 5)" in " ".join(out.split())
    assert "--compare --mode auto`: Concept recall at least 95.0%" in " ".join(out.split())
    value = fallen.row3("investigate", "yeast", "--format", "json", code=0).json["cases"][0]
    assert (value["failing"], value["fell"][0]["metric"], value["fell"][0]["limit"]) == ([], "recall", 5.0)


def test_the_limits_are_those_of_the_command_and_the_suite(fallen: Box) -> None:
    out = fallen.row3("investigate", "yeast", "--fail", "recall:30,f1:30", code=0).out
    assert "Concept recall 75.0% (" not in out
    fallen.write("row3.toml", fallen.read("row3.toml") + '\n[suites.bread.gate]\nunit = "relative"\nblock = 10\n')
    out = fallen.row3("investigate", "yeast", code=0).out
    assert "Concept recall 75.0% (fell 25.0% of its value before, limit 10)" in " ".join(out.split())


def test_a_case_edited_since_the_baseline_is_noted(fallen: Box) -> None:
    assert fallen.row3("investigate", "yeast", "--format", "json", code=0).json["cases"][0]["notes"] == []
    fallen.case("yeast", created="2026-01-02")
    (edited,) = fallen.row3("investigate", "yeast", "--format", "json", code=0).json["cases"][0]["notes"]
    assert edited == "The golden case has changed since the baseline."


def test_nothing_to_change_without_a_drop(fallen: Box) -> None:
    out = fallen.row3("investigate", "yeast", "--prompt", "extract-v1.1", "--format", "markdown", code=0).out
    well = "every metric reaches its target, and none is worse than the last good run by more than its limit"
    assert f"**Failing Metric(s)**: none: {well}" in out
    assert f"1. No change is needed: {well}." in out
    assert "2. " not in out[out.index("### Verification Plan") :]


def test_without_a_baseline_the_last_passing_run_is_compared(fallen: Box) -> None:
    fallen.path("baselines/bread.json").unlink()
    shutil.rmtree(fallen.path(".row3/runs"))
    assert "no saved run that passed" in fallen.row3("investigate", "yeast", code=0).out
    fallen.row3("--prompt", "extract-v1.1", code=0)
    found = fallen.row3("investigate", "yeast", "--format", "json", code=0).json
    assert found["comparedWith"].startswith("the last saved run that passed, of ")
    assert found["cases"][0]["metrics"]["recall"]["delta"] == -0.25
    assert {cause["before"] for cause in found["causes"]} == {None}


def test_all_failing_cases_are_those_that_fell(fallen: Box) -> None:
    out = fallen.row3("investigate", code=0).out
    assert f"{len(CASES)} of {len(CASES)} cases failing" in out
    fine = fallen.row3("investigate", "--prompt", "extract-v1.1", code=0).out
    assert f"0 of {len(CASES)} cases failing" in fine
    assert "Nothing went wrong." in fine


def test_no_drop_within_the_limit_or_without_both_values() -> None:
    assert fall_of(RECALL, 0.9, 0.85, POLICY) is None
    assert fall_of(RECALL, None, 0.1, POLICY) is None
    assert fall_of(RECALL, 0.9, None, POLICY) is None


def test_a_rate_gets_worse_by_rising_past_its_own_limit() -> None:
    fall = fall_of(RATE, 0.0, 0.04, POLICY)
    assert fall is not None
    assert (round(fall.worse, 9), fall.limit, fall.least) == (4.0, 3.0, 0.03)


@given(fractions, fractions, st.sampled_from([RECALL, RATE]), st.sampled_from(["points", "relative"]))
def test_the_drop_starts_just_beyond_the_limit(before: float, now: float, metric: Metric, unit: str) -> None:
    policy = GatePolicy(unit=unit)
    fall = fall_of(metric, before, now, policy)
    if fall is None:
        return
    assert fall.worse > fall.limit
    assert (now < fall.least) == metric.higher_is_better
    assert fall_of(metric, before, fall.least, policy) is None
