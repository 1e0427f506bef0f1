"""`--against`: a change cannot loosen its own gate."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.projects import CASES, CONFIG, SUITE, Box, Done, first, flawless, worse

LOOSE = f"""[suites.{SUITE}.thresholds.recall]
minimum = 0.1
target = 0.2
excellent = 0.3

[suites.{SUITE}.gate]
block = 90
investigate = 80
"""
RYE = f"golden/{SUITE}/rye.gold.json"


def against(box: Box, *options: str, ref: str = "HEAD") -> Done:
    return box.row3("--compare", "--against", ref, *options)


def test_a_change_that_is_better_proceeds(box: Box) -> None:
    done = box.row3("--compare", "--against", "main", "--format", "json", code=0)
    assert done.json["verdict"] == "proceed"
    assert done.json["baseline"]["against"] == "main"


def test_loose_thresholds_do_not_help_a_worse_prompt(box: Box) -> None:
    worse(box)
    box.write("row3.toml", CONFIG + LOOSE)
    done = against(box)
    assert done.code == 1
    assert "Overall is worse by" in done.out
    assert "row3.toml asks for less than at HEAD: threshold recall.minimum" in " ".join(done.out.split())


def test_a_removed_case_blocks(box: Box) -> None:
    box.path(RYE).unlink()
    done = against(box)
    assert done.code == 1
    assert "golden cases removed since HEAD: rye.gold.json" in done.out


def test_a_removed_baseline_blocks(box: Box) -> None:
    box.path(f"baselines/{SUITE}.json").unlink()
    for options in ((), ("--all",)):
        done = against(box, *options)
        assert done.code == 1
        assert "the baseline was removed since HEAD" in " ".join(done.out.split())
    assert "put the baseline back from git" in " ".join(against(box).out.split())


def test_an_easier_case_does_not_help_a_worse_prompt(box: Box) -> None:
    worse(box)
    for case_id, case in CASES.items():
        box.case(case_id, expectedConcepts=case["expectedConcepts"][:2], forbiddenConcepts=[])
    done = against(box)
    assert done.code == 1
    assert "golden cases changed since HEAD, judged as they were there" in " ".join(done.out.split())


def test_canaries_taken_out_still_count(box: Box) -> None:
    output = flawless(CASES["rye"])
    output["concepts"].append({"label": "gluten lattice theory", "sourceQuote": "Rye"})
    box.record("1.1", {"rye": output})
    box.case("rye", forbiddenConcepts=[])
    done = box.row3("--compare", "--against", "HEAD", "--format", "json")
    assert done.json["metrics"]["hallucinationRate"] > 0


def test_a_baseline_replaced_in_the_same_change_does_not_judge_it(box: Box) -> None:
    worse(box)
    box.path("baselines/bread.json").unlink()
    box.path("prompts/promoted.json").unlink()
    box.row3("--baseline", code=0)
    done = against(box)
    assert done.code == 1
    assert "Overall is worse by" in done.out


def test_loosening_alone_blocks_the_change_that_does_it(box: Box) -> None:
    box.write("row3.toml", CONFIG + LOOSE)
    assert against(box).code == 1


def test_weakening_alone_blocks_the_change_that_does_it(box: Box) -> None:
    box.case("rye", forbiddenConcepts=[])
    assert against(box).code == 1


def test_texts_edited_by_a_word_do_not_switch_the_gate_off(box: Box) -> None:
    for case_id, case in CASES.items():
        box.case(case_id, sourceText=case["sourceText"] + " More.")
    # 66.7 % of the concepts are no fail zone, and still far below what the same prompt found before.
    box.record("1.1", {case_id: first(flawless(case), 3) for case_id, case in CASES.items()})
    box.row3("--compare", code=1)


def test_a_case_file_may_be_renamed(box: Box) -> None:
    box.git("mv", RYE, f"golden/{SUITE}/rye-bread.gold.json")
    assert against(box).code == 0


def test_a_new_case_is_run_and_moves_no_delta(box: Box) -> None:
    new = CASES["rye"] | {"sourceText": "Rye is a cereal. Salt slows the proofing of every dough."}
    box.case("crumb", **new)
    box.record("1.1", {"crumb": first(flawless(new), 3)})
    result = box.row3("--compare", "--against", "HEAD", "--format", "json", code=0).json
    assert (result["compared"], len(result["cases"])) == (3, 4)
    assert result["deltas"]["recall"] == pytest.approx(0.25)


def test_unknown_ref_no_repository_shallow_clone(box: Box) -> None:
    done = against(box, ref="nowhere")
    assert (done.code, len(done.errors)) == (2, 1)
    assert "nowhere" in done.err
    done = against(box, ref="--output=x")
    assert (done.code, len(done.errors)) == (2, 1)
    clone = Box(box.root.parent / "shallow")
    box.git("clone", "-q", "--depth", "1", f"file://{box.root}", str(clone.root))
    done = against(clone, ref="HEAD~1")
    assert (done.code, len(done.errors)) == (2, 1)
    assert "shallow" in done.err
    assert "git fetch" in done.err


def test_a_live_run_is_not_judged_against_a_ref(box: Box) -> None:
    done = box.row3("--compare", "--against", "HEAD", "--mode", "live")
    assert (done.code, len(done.errors)) == (2, 1)


@pytest.mark.parametrize("name", ["rye", "new"])
def test_a_case_that_is_a_link_to_a_device_is_refused_and_never_copied(box: Box, name: str) -> None:
    case = box.root / f"golden/{SUITE}/{name}.gold.json"
    case.unlink(missing_ok=True)
    case.symlink_to("/dev/zero")
    script = f"ulimit -v 2000000; ulimit -f 400000; timeout 60 {sys.executable} -m row3 --compare --against HEAD"
    done = subprocess.run(
        ["bash", "-c", script], cwd=box.root, env=box.env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: golden/{SUITE}/{name}.gold.json: this is a pipe, a socket or a device")
