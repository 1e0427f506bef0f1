"""`--case` and `--tag`: both may be repeated, mean the same in every command, and make a part of a run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.projects import CASES, Box, flawless, tiny
from tests.rows import every_row

OUTPUTS = "outputs.jsonl"
GRAIN = ("--tag", "grain")
OF_A_RUN = re.compile(r'"(?:at|runId)": "[^"]*"')
PAIR = ("--case", "oven", "--case", "y*")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Three cases of which two have tags, a baseline, two versions that are recorded, and outputs made elsewhere."""
    made = tiny(tmp_path_factory.mktemp("chosen") / "bakery")
    made.case("rye", tags=["grain"])
    made.case("yeast", tags=["grain", "short"])
    lines = [json.dumps({"caseId": case_id, "output": flawless(case)}) for case_id, case in CASES.items()]
    made.write(OUTPUTS, "\n".join(lines) + "\n")
    made.init()
    made.row3("--baseline", code=0)
    made.commit("a baseline")
    return made


@pytest.mark.parametrize("command", [(), ("--compare",), ("score", "bread", "--outputs", OUTPUTS)], ids=" ".join)
def test_a_run_takes_the_chosen_cases(box: Box, command: tuple[str, ...]) -> None:
    def ids(*choice: str) -> list[str]:
        return sorted(case["id"] for case in box.row3(*command, *choice, "--format", "json", code=0).json["cases"])

    assert ids(*GRAIN) == ["rye", "yeast"]
    assert ids(*PAIR) == ["oven", "yeast"]
    assert ids(*PAIR, *GRAIN) == ["yeast"]
    assert ids("--tag", "short", "--tag", "grain") == ["rye", "yeast"]


@every_row(
    "command",
    [
        ("diff", "baseline", "v1.1"),
        ("diff", "v1.0", "v1.1"),
        ("cases",),
        ("leaderboard",),
        ("aliases", "review", "--list"),
    ],
)
def test_other_commands_take_them_too(box: Box, command: tuple[str, ...]) -> None:
    def told(*choice: str) -> str:
        return OF_A_RUN.sub("", box.row3(*command, *choice, "--format", "json", code=0).out)

    assert told() != told(*PAIR) == told("--case", "[oy]*")
    assert "rye" not in told(*PAIR)


def test_a_part_is_no_baseline_and_is_not_noted(box: Box) -> None:
    before = box.tree()
    done = box.row3("--baseline", *GRAIN, code=2)
    assert "--case/--tag/--only: a baseline needs all cases. Leave these out." in done.err
    assert "applies to one suite" in box.row3("--all", *GRAIN, code=2).err
    assert "no verdict to approve" in box.row3("--compare", *GRAIN, "--approve", "because", code=2).err
    box.row3("--compare", *GRAIN, code=0)
    assert box.tree() == before
    assert box.row3("promote", "v1.1", *GRAIN, code=2).errors == [
        "error: `row3 promote` has no option `--tag`. See `row3 promote --help`."
    ]


@every_row(
    "command",
    [(), ("--compare",), ("diff", "v1.0", "v1.1"), ("cases",), ("score", "bread", "--outputs", OUTPUTS), ("flaky",)],
)
def test_what_is_not_there_is_named(box: Box, command: tuple[str, ...]) -> None:
    def told(*choice: str) -> str:
        return box.row3(*command, *choice, code=2).errors[0]

    assert told("--tag", "salt") == "error: golden/bread/: no case has the tag `salt`. Tags: grain, short."
    assert told("--tag", "grian") == "error: golden/bread/: no case has the tag `grian`. Did you mean `grain`?"
    assert told("--case", "rye", "--case", "yaest").endswith("no case matches `yaest`. Did you mean `yeast`?")
    assert told("--case", "oven", *GRAIN).endswith("no case matches both --case and --tag. Leave out --case or --tag.")


def test_a_part_beside_only(box: Box) -> None:
    changed = box.copy(box.root.parent / "changed")
    changed.case("oven", source="one", tags=["new"])
    done = changed.row3("--only", "changed", "--case", "oven", "--format", "json", code=0)
    assert [case["id"] for case in done.json["cases"]] == ["oven"]
    done = changed.row3("--only", "changed", *GRAIN, code=2)
    assert done.errors == ["error: --case, --tag: no changed case matches. Leave these or --only out."]


def test_what_the_head_says_chooses_the_bases_cases(box: Box, tmp_path: Path) -> None:
    changed = box.copy(tmp_path / "changed")
    changed.case("oven", tags=["grain"])
    changed.commit("a tag")
    done = changed.row3("--compare", "--against", "HEAD~1", "--tag", "grain", "--format", "json", code=0)
    assert {case["id"] for case in done.json["cases"]} == {"rye", "yeast", "oven"}
    changed.case("new", **CASES["rye"], tags=["new"])
    changed.commit("a case")
    done = changed.row3("--compare", "--against", "HEAD~1", "--case", "rye", "--format", "json", code=0)
    assert [case["id"] for case in done.json["cases"]] == ["rye"]
    done = changed.row3("--compare", "--against", "HEAD~1", "--tag", "new", code=2)
    assert "no case matches the selection. Choose other cases with --case, --tag or --only." in done.err
