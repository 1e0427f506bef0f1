"""The gate's policies by flag and by row3.toml: limits of single metrics, noise, critical cases, informational."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats

from tests.bakery import IDS, bakery, case_of, record
from tests.projects import CONFIG, SUITE, Box, copy_of

FULL = dict.fromkeys(IDS, 4)


def suite(root: Path, after: dict[str, int], before: dict[str, int] = FULL) -> Box:
    """A project whose baseline found `before` and whose candidate finds `after`, in numbers of concepts a case."""
    box = bakery(root)
    box.init()
    record(box, "1.0", before)
    record(box, "1.1", after)
    box.row3("promote", "v1.0", code=0)
    box.commit()
    return box


def gate(**settings: object) -> str:
    lines = [
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}" for key, value in settings.items()
    ]
    return f"{CONFIG}\n[suites.{SUITE}.gate]\n" + "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def two_fell_once(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Two of fifteen cases found half of their concepts: recall fell by 6.7 points, and two cases prove nothing."""
    return suite(tmp_path_factory.mktemp("two-fell") / "project", FULL | {IDS[0]: 2, IDS[7]: 2})


two_fell = copy_of("two_fell_once")


def test_the_fixed_rule_blocks_and_says_that_it_may_be_noise(two_fell: Box) -> None:
    done = two_fell.row3("--compare", "--policy", "fixed", code=1)
    text = " ".join(done.out.split())
    assert "Concept recall is worse by 6.7 points (more than 5); it may be noise" in text


def test_by_evidence_two_cases_prove_nothing(two_fell: Box) -> None:
    text = " ".join(two_fell.row3("--compare", code=0).out.split())
    assert "Concept recall is worse by 6.7 points (more than 5), which may be noise (only 2 of 15" in text


def test_and_eight_cases_do(tmp_path: Path) -> None:
    box = suite(tmp_path, FULL | dict.fromkeys(IDS[:8], 3))
    text = " ".join(box.row3("--compare", code=1).out.split())
    assert "Concept recall is worse by 13.3 points (more than 5), beyond noise" in text


def test_the_intervals_are_those_of_the_paired_t_test(tmp_path: Path) -> None:
    box = suite(tmp_path, FULL | dict.fromkeys(IDS[:8], 3))
    asked = ("--compare", "--policy", "fixed", "--format", "json")
    found = box.row3(*asked).json["intervals"]["recall"]
    after = [0.75 if case_id in IDS[:8] else 1.0 for case_id in IDS]
    test = stats.ttest_rel(after, [1.0] * len(IDS))
    assert (found["low"], found["high"]) == pytest.approx(tuple(test.confidence_interval(0.95)))
    assert found["pValue"] == pytest.approx(2 * 0.5**8), "as rare as eight cases that all fall"
    assert (found["df"], found["units"]) == (14, 15)


def test_cases_of_one_source_are_one_cluster(two_fell: Box) -> None:
    for case_id in IDS[:5]:
        two_fell.case(case_id, source="one book", **case_of(case_id))
    two_fell.row3("--baseline", code=0)
    found = two_fell.row3("--compare", "--format", "json").json["intervals"]["recall"]
    assert found["units"] == 11
    assert found["df"] < 10


def test_paired_does_not_block_what_two_cases_cannot_show(two_fell: Box) -> None:
    done = two_fell.row3("--compare", "--policy", "paired", code=0)
    text = " ".join(done.out.split())
    assert "Concept recall is worse by 6.7 points (more than 5), which may be noise" in text
    assert "rule gate.policy" in text, "what a flag loosens is said"


def test_paired_blocks_what_is_shown(tmp_path: Path) -> None:
    box = suite(tmp_path, dict.fromkeys(IDS, 2) | {IDS[3]: 3})
    done = box.row3("--compare", "--policy", "paired", code=1)
    assert "by more than 5 beyond noise" in " ".join(done.out.split())


def test_inconclusive_is_what_the_setting_says(tmp_path: Path) -> None:
    box = suite(tmp_path, FULL | dict.fromkeys(IDS[:6], 2))
    asked = ("--compare", "--policy", "paired", "--format", "json", "--fail", "recall:90,f1:90")
    assert box.row3(*asked, code=0).json["verdict"] == "investigate"
    done = box.row3(*asked, "--inconclusive", "block", code=1)
    assert [r["subject"] for r in done.json["reasons"] if r["verdict"] == "block"] == ["overall"]
    assert "neither shown nor ruled out" in done.json["reasons"][0]["text"]


def test_limits_of_single_metrics(two_fell: Box) -> None:
    assert two_fell.row3("--compare", "--fail", "recall:8", code=0).code == 0
    done = two_fell.row3("--compare", "--fail", "recall:8,overall:1", code=1)
    assert "Overall is worse by 1.7 points (more than 1)" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ("rec:3:4", "`3:4` is not a limit for recall"),
        ("recall=3", "`recall=3` is not a limit"),
        ("p:3", "could be precision or provenanceCoverage"),
        ("wit:3", "`wit` is not a metric of this kind"),
        ("recall:-1", "`-1` is not a limit"),
        ("recall:nan", "`nan` is not a limit"),
        ("recall:3,recall:4", "`recall` has two limits"),
        ("recall:3,", "`` is not a limit"),
    ],
)
def test_wrong_limits_are_refused(two_fell: Box, limits: str, words: str) -> None:
    done = two_fell.row3("--compare", "--fail", limits, code=2)
    assert words in done.err and "Traceback" not in done.err
    two_fell.write("row3.toml", gate(fail=limits))
    done = two_fell.row3("--compare", code=2)
    assert words in done.err and f"suites.{SUITE}.gate.fail" in done.err


def test_what_a_flag_loosens_is_said_and_not_noted(two_fell: Box) -> None:
    noted = len(two_fell.history())
    value = two_fell.row3("--compare", "--fail", "recall:20", "--format", "json", code=0).json
    found = [reason for reason in value["reasons"] if reason["code"] == "criteria_loosened"]
    assert [(reason["subject"], reason["verdict"]) for reason in found] == [("rule limit.recall", "proceed")]
    assert len(two_fell.history()) == noted


@pytest.mark.parametrize("flags", [("--fail", "recall:20,f1:20"), ("--policy", "paired", "--inconclusive", "block")])
def test_a_flag_does_not_make_a_promotion_easier(two_fell: Box, flags: tuple[str, ...]) -> None:
    before = two_fell.tree()
    assert "options may only tighten a promotion" in two_fell.row3("promote", "v1.1", *flags, code=2).errors[0]
    assert two_fell.tree() == before


def test_what_another_gate_blocks_is_not_approved(two_fell: Box) -> None:
    """Nothing that comes after would know that approval: hook, CI and promotion have a gate of their own."""
    before = two_fell.tree()
    done = two_fell.row3("--compare", "--fail", "recall:1", "--approve", "agreed", code=2)
    assert "--approve with --fail recall:1: hook, CI and promotion judge by row3.toml" in done.errors[0]
    assert two_fell.tree() == before


def test_rewards_above_one_in_all_are_refused(two_fell: Box) -> None:
    two_fell.write("row3.toml", f"{CONFIG}[suites.{SUITE}.weights]\nprovenanceVerified = 1.0\n")
    done = two_fell.row3("--compare", code=2)
    assert len(done.errors) == 1
    assert f"row3.toml field suites.{SUITE}.weights: the positive weights sum to 1.85" in done.errors[0]
    two_fell.write("row3.toml", f"{CONFIG}[suites.{SUITE}.weights]\nprovenanceVerified = 0.15\nf1 = -1.0\n")
    assert "the positive weights sum" not in two_fell.row3("--compare").err


def test_an_informational_gate_reports_and_lets_through(two_fell: Box) -> None:
    two_fell.write("row3.toml", gate(informational=True, policy="fixed"))
    two_fell.row3("--baseline", code=0)
    done = two_fell.row3("--compare", "--format", "json", code=0)
    assert done.json["verdict"] == "block"
    assert done.json["blocked"] is False
    assert "BLOCK, informational" in two_fell.row3("--compare", code=0).out
    assert 'failures="0"' in two_fell.row3("--compare", "--format", "junit", code=0).out
    assert "is promoted" in two_fell.row3("promote", "v1.1", code=0).out


def test_a_critical_case_blocks_alone_when_it_falls(tmp_path: Path) -> None:
    box = bakery(tmp_path)
    box.init()
    box.case(IDS[4], critical=True, **case_of(IDS[4]))
    record(box, "1.0", FULL)
    record(box, "1.1", FULL | {IDS[4]: 2})
    box.row3("promote", "v1.0", code=0)
    done = box.row3("--compare", "--format", "json", code=1)
    blocks = [(r["code"], r["subject"]) for r in done.json["reasons"] if r["verdict"] == "block"]
    assert blocks == [("critical_broke", IDS[4]), ("unconfirmed", IDS[4])]


def test_an_exact_bound_stands_beside_the_rate_of_canaries(two_fell: Box) -> None:
    value = two_fell.row3("--format", "json").json
    assert value["bounds"]["hallucinationRate"] == {
        "seenIn": 0, "cases": 15, "upper95": pytest.approx(1 - 0.05 ** (1 / 15)),
    }  # fmt: skip
    assert "canaries in 0 of 15 cases: at most 18.1% of cases have any, at 95%" in two_fell.row3().out
