"""`row3 promote` as a command: all or nothing, with its evidence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.projects import CASES, CONFIG, SUITE, Box, first, flawless, worse
from tests.rows import every_row
from tests.terminal import terminal

WRITTEN = {
    "prompts/promoted.json", "baselines/bread.json", "CHANGELOG.md", "metrics-history.json",
    "charts/bread-trend.svg",
}  # fmt: skip


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def test_a_block_writes_nothing_at_all(box: Box) -> None:
    worse(box)
    before = box.tree()
    done = box.row3("promote", "v1.2", code=1)
    assert box.tree() == before
    assert "was not promoted; nothing was written" in done.out
    assert box.row3("--compare", "--prompt", "extract-v1.1", code=0)


def test_a_dry_run_writes_nothing_and_shows_the_entry_and_every_file(box: Box) -> None:
    before = box.tree()
    done = box.row3("promote", "v1.1", "--dry-run", code=0)
    assert box.tree() == before
    assert "| Recall | 75% | 100% | +25.0 points" in done.out
    listed = [line.strip() for line in done.out.split("\n") if line.startswith("  ") and "/" in line]
    box.row3("promote", "v1.1", code=0)
    assert {name for name in changed(before, box.tree()) if "/" in name} == set(listed)


def test_neither_a_promotion_nor_its_dry_run_advises_to_promote(box: Box) -> None:
    for args in (["--dry-run"], []):
        done = box.row3("promote", "v1.1", *args, code=0)
        assert "Next:" not in done.out
        assert ("extract v1.1 (promoted)" in done.out) == (not args)
    assert "Next: commit." in box.row3("--compare", code=0).out


def test_the_commit_holds_exactly_what_was_written(box: Box) -> None:
    box.write("mine.txt", "staged by hand")
    box.git("add", "mine.txt")
    before = box.tree()
    done = box.row3("promote", "extract-v1.1", "--commit", code=0)
    names = set(box.git("diff-tree", "-r", "--no-commit-id", "--name-only", "HEAD").out.splitlines())
    assert names == changed(before, box.tree())
    assert names - WRITTEN == {name for name in names if name.startswith("baselines/archive/bread-")}
    assert names >= WRITTEN
    assert "committed as " in done.out
    assert box.git("status", "--porcelain").out == "A  mine.txt\n"


def test_figures_of_a_version_whose_cases_changed_since_are_marked(box: Box) -> None:
    before = box.read("CHANGELOG.md")
    (day,) = re.findall(r"## v1.0 \((.*)\)", before)
    box.row3("--baseline", code=0)
    assert box.read("CHANGELOG.md") == before
    whole = box.read("golden/bread/rye.gold.json")
    box.case("rye", domain="technical")
    box.row3("--baseline", code=0)
    marked = before.replace("Metrics Impact", f"Metrics Impact (3 cases of {day}; cases or scoring changed since)")
    assert box.read("CHANGELOG.md") == marked
    box.write("golden/bread/rye.gold.json", whole)
    box.row3("--baseline", code=0)
    assert box.read("CHANGELOG.md") == before
    box.case("rye", domain="technical")
    box.row3("promote", "v1.1", code=0)
    text = box.read("CHANGELOG.md")
    note = f"- Golden cases or scorer changed since {day}\n"
    assert text.index("## v1.1 (") < text.index(note) < text.index("## v1.0 (") < text.index("; cases or scoring")
    assert text.count("changed since") == 2


def test_a_promoted_file_that_was_edited_is_refused_with_the_way_out(box: Box) -> None:
    box.write("prompts/extract-v1.0.md", box.read("prompts/extract-v1.0.md") + "\nmore\n")
    before = box.tree()
    for args in (["--baseline"], ["--compare", "--prompt", "extract-v1.0"], ["--prompt", "extract-v1.0"]):
        done = box.row3(*args, code=2)
        assert "prompts/extract-v1.0.md: extract v1.0 is promoted and was edited in place" in done.errors[0]
        assert "row3 new-version extract" in done.errors[0]
    assert box.tree() == before


def test_a_block_that_is_approved_is_promoted_and_signed(box: Box) -> None:
    worse(box)
    done = box.row3("promote", "v1.2", "--approve", "needed for the demo", code=0)
    assert "APPROVED (was: block)" in done.out
    assert "approved by Zoë Tester" in done.out
    assert "✗ BLOCK" not in done.out
    entry = box.history()[-1]
    assert (entry["action"], entry["verdict"]) == ("promotion", "block")
    assert entry["approval"]["reason"] == "needed for the demo"
    box.git("add", "-A")
    box.row3("hook", "run", code=0)
    written = box.read("CHANGELOG.md").replace("\\", "").replace("\u200b", "")
    assert "needed for the demo (Zoë Tester <zoe@example.org>" in written
    promoted = json.loads(box.read("prompts/promoted.json"))["prompts"]["extract"]
    assert (promoted["version"], sorted(promoted["locked"])) == ("v1.2", ["v1.0"])
    box.write("prompts/extract-v1.0.md", box.read("prompts/extract-v1.0.md") + "\nmore\n")
    assert "edited in place" in box.row3("--prompt", "extract-v1.0", code=2).errors[0]


@every_row("version", ["v1", "1.1.1", "../x", "../x-v1.0", "v9.9", "extrakt-v1.1", "", "v1.1\n", "v01.1"])
def test_a_version_that_is_none_is_one_message(box: Box, version: str) -> None:
    before = box.tree()
    done = box.row3("promote", version, code=2)
    assert len(done.errors) == 1
    assert box.tree() == before


def test_a_part_of_the_cases_promotes_nothing(box: Box) -> None:
    assert "has no option `--case`" in box.row3("promote", "v1.1", "--case", "rye", code=2).errors[0]


def test_a_missing_recording_promotes_nothing(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "You read texts", "You study texts")
    before = box.tree()
    done = box.row3("promote", "v1.1", code=3)
    assert "the run is incomplete: 3 of 3 cases have no answer, so nothing is promoted" in done.errors[0]
    assert box.tree() == before


def test_it_says_in_short_on_what_it_was_promoted(box: Box) -> None:
    short, whole = (box.row3("promote", "v1.1", "--dry-run", *more, code=0).out for more in ((), ("-v",)))
    for part in ("Overall ", "✓ PROCEED", "would be promoted", "metrics-history.json"):
        assert part in short
    for part in ("Cases: ", "How the items matched"):
        assert part not in short
        assert part in whole
    assert "Commit these files together.\n" in box.row3("promote", "v1.1", code=0).out


@every_row("mode", ["record", "auto"])
def test_a_dry_run_writes_no_recording(box: Box, mode: str) -> None:
    (error,) = box.row3("promote", "v1.1", "--dry-run", "--mode", mode, code=2).errors
    assert "a dry run writes no recording" in error


def test_a_dry_run_asks_nobody_unless_it_is_told_to(box: Box) -> None:
    for path in (box.root / "recordings").rglob("*.jsonl"):
        path.unlink()
    before = box.tree()
    done = box.row3("promote", "v1.1", "--dry-run", code=3)
    assert "no recording" in done.err + done.out
    assert box.tree() == before


def test_charts_go_into_a_folder(box: Box) -> None:
    box.write("notes.txt", "mine\n")
    (error,) = box.row3("trend", "--out", "notes.txt", code=2).errors
    assert error == "error: --out notes.txt: this is a file, not a folder. Name a folder."


def first_time(box: Box) -> None:
    """Nothing was promoted and nothing is compared with."""
    for name in ("baselines/bread.json", "prompts/promoted.json", "metrics-history.json"):
        box.path(name).unlink()


def test_a_first_promotion_that_is_blocked_says_why_and_what_to_do(box: Box) -> None:
    first_time(box)
    worse(box, concepts=1)
    done = box.row3("promote", "v1.2", code=1)
    assert "Concept recall is in its fail zone: 25.0% (minimum 60%)" in done.out
    assert "\n✗ BLOCK  Overall " in done.out
    text = " ".join(done.out.split())
    assert "run row3 promote extract-v1.2 again, or accept it with --approve REASON." in text
    assert done.out.endswith("extract v1.2 was not promoted; nothing was written.\n")
    done = box.row3("promote", "extract-v1.2", "--approve", "a beginning", code=0)
    assert "APPROVED (was: block)  Overall " in done.out
    assert "approved by Zoë Tester <zoe@example.org>: a beginning" in done.out


def test_what_was_never_promoted_stands_in_the_changelog_by_the_baselines_version(box: Box) -> None:
    box.path("prompts/promoted.json").unlink()
    box.path("CHANGELOG.md").unlink(missing_ok=True)
    box.row3("promote", "v1.1", code=0)
    assert "| Metric | v1.0 | v1.1 | Delta |" in box.read("CHANGELOG.md")


@pytest.mark.parametrize(
    ("mark", "newline", "draft"),
    [
        (b"", b"\r\n", b""),
        (b"\xef\xbb\xbf", b"\n", b"## v1.1 (Unreleased)\n\nPrompt: extract\n\n### Changes\n- by hand\n\n"),
    ],
)
def test_the_changelog_keeps_its_line_ends_and_its_mark(box: Box, mark: bytes, newline: bytes, draft: bytes) -> None:
    mine = b"# Ours\n\nMy words.\n\n"
    box.write("CHANGELOG.md", mark + (mine + draft + b"## v1.0 (2026-01-29)\n\nMore.\n").replace(b"\n", newline))
    box.row3("promote", "v1.1", code=0)
    raw = box.path("CHANGELOG.md").read_bytes()
    assert raw.startswith(mark + mine.replace(b"\n", newline) + b"## v1.1 (")
    assert raw.count(b"\xef\xbb\xbf") == bool(mark)
    assert raw.count(b"\n") == raw.count(newline)
    assert (b"- by hand" in raw) is bool(draft)
    assert b"nreleased" not in raw


@pytest.fixture
def dip(box: Box) -> Box:
    """A draft of which the composite, the only gated metric, falls by 2.1 points, all of it in one of three cases."""
    box.write("row3.toml", box.read("row3.toml") + f"\n[suites.{SUITE}.gate]\nmetrics = ['overall']\n")
    box.row3("promote", "v1.1", "--commit", code=0)
    box.prompt("1.2")
    box.record("1.2", {case: first(flawless(CASES[case]), 3 if case == "rye" else 9) for case in CASES})
    return box


def test_a_fall_that_does_not_block_needs_a_reason(dip: Box) -> None:
    """STANDARDS 4.3: a regression of 1 to 5 points is investigated, and the reason documented."""
    before = dip.tree()
    done = dip.row3("promote", "v1.2", code=2)
    assert done.errors == [
        "error: extract v1.2: Overall fell by 2.1 points, so a promotion needs a reason. "
        "Run `row3 promote extract-v1.2 --approve REASON`."
    ]
    assert "would be promoted, given a reason" in dip.row3("promote", "v1.2", "--dry-run", code=0).out
    assert dip.tree() == before
    assert "is a placeholder" in dip.row3("promote", "v1.2", "--approve", "todo", code=2).errors[0]
    assert "Next: row3 investigate rye\nThen: row3 promote extract-v1.2 --approve REASON\n" in (
        dip.row3("--compare", code=0).out
    )
    dip.row3("promote", "v1.2", "--approve", "proofing is for bakers", code=0)
    assert dip.history()[-1]["approval"]["reason"] == "proofing is for bakers"
    text = dip.read("CHANGELOG.md").partition("\n## v1.1 (")[0]
    assert "- Approved: proofing is for bakers (Zoë Tester" in text
    assert "- Large regression on rye.gold.json (−6.2 points, investigate)" in text.replace("\\", "").replace(
        "-6", "−6"
    )


@pytest.mark.parametrize(
    ("concepts", "settings", "code"),
    [
        (4, "", 0),
        (3, "", 2),
        (2, "", 2),
        (3, "investigate = 2.5", 0),
        (3, "informational = true", 0),
        (3, "block = 2", 1),
        (2, "unit = 'relative'", 2),
    ],
)
def test_a_reason_is_asked_between_the_two_limits(dip: Box, concepts: int, settings: str, code: int) -> None:
    dip.write("row3.toml", f"{dip.read('row3.toml')}{settings}\n")
    dip.row3("--baseline", code=0)
    dip.prompt("1.3")
    dip.record("1.3", {case: first(flawless(CASES[case]), concepts if case == "rye" else 4) for case in CASES})
    dip.row3("promote", "v1.3", code=code)


def test_a_fall_of_the_primary_metric_needs_a_reason_where_another_metric_gates(dip: Box) -> None:
    dip.replace("row3.toml", "metrics = ['overall']", "metrics = ['precision']")
    dip.row3("--baseline", code=0)
    assert "Overall fell by 2.1 points" in dip.row3("promote", "v1.2", code=2).err


def test_on_a_terminal_the_reason_is_asked_for(dip: Box) -> None:
    with terminal(dip, "promote", "v1.2") as one:
        one.until("Overall fell by 2.1 points. Why is this acceptable?")
        one.line("proofing is for bakers")
        assert one.end()[0] == 0, one.text
    assert dip.history()[-1]["approval"]["reason"] == "proofing is for bakers"


@pytest.mark.parametrize(
    ("written", "description"),
    [
        ("<!-- What changes and why, one line each. -->", "TODO"),
        ("*  tbd.", ""),
        ("-", "Finds crumbs."),
        ("<!-- todo -->", "TODO"),
        ("- TODO: say what", "Finds crumbs."),
    ],
)
def test_no_entry_ships_a_placeholder(box: Box, written: str, description: str) -> None:
    there = box.read("CHANGELOG.md")
    box.replace(
        "prompts/extract-v1.1.md",
        "description: Finds what a text is about, as of 1.1.",
        f"description: '{description}'",
    )
    draft = f"## v1.1 (Unreleased)\n\nPrompt: extract\n\n### Changes\n{written}\n\n"
    box.write("CHANGELOG.md", there.replace("## v1.0", f"{draft}## v1.0", 1))
    box.row3("promote", "v1.1", code=0)
    text = box.read("CHANGELOG.md").partition("\n## v1.0 (")[0]
    changes = text.partition("### Changes\n")[2].partition("\n### ")[0].strip()
    assert changes == ("- Finds crumbs." if "crumbs" in description else "- Text changed since v1.0")


def test_a_placeholder_beside_a_written_line_is_left_out_and_words_are_kept(box: Box) -> None:
    there = box.read("CHANGELOG.md")
    draft = "## v1.1 (Unreleased)\n\nPrompt: extract\n\n### Changes\n- TODO\n- TODO lists are concepts\n\n"
    box.write("CHANGELOG.md", there.replace("## v1.0", f"{draft}## v1.0", 1))
    box.row3("promote", "v1.1", code=0)
    text = box.read("CHANGELOG.md").partition("\n## v1.0 (")[0]
    assert text.partition("### Changes\n")[2].partition("\n### ")[0].strip() == "- TODO lists are concepts"


def test_the_notes_name_every_case_that_fell_by_a_point(tmp_path: Path) -> None:
    """Of 24 concepts one is 1.4 points of the composite, of 40 it is 0.8."""
    box = Box(tmp_path / "project")
    box.write("row3.toml", CONFIG)
    sizes = {**{f"case-{i}": 24 for i in range(8)}, "wide": 40}
    words = [f"{a}{b}" for a in ("rye", "oat", "corn", "bran", "emmer") for b in "acdefghk"]
    cases = {
        case_id: CASES["rye"]
        | {
            "sourceText": f"{case_id}: {', '.join(words[:size])}.",
            "expectedConcepts": [{"label": word} for word in words[:size]],
            "expectedRelationships": [],
        }
        for case_id, size in sizes.items()
    }
    for version, less in (("1.0", 0), ("1.1", 1)):
        for case_id, case in cases.items():
            box.case(case_id, **case)
        box.prompt(version)
        answers = {case_id: flawless(case) for case_id, case in cases.items()}
        box.record(version, {case_id: first(answers[case_id], size - less) for case_id, size in sizes.items()})
    box.row3("promote", "v1.0", code=0)
    box.row3("promote", "v1.1", "--approve", "the last word is a made-up one", code=0)
    text = box.read("CHANGELOG.md").partition("\n## v1.0 (")[0]
    assert re.findall(r"regression on (\S+).gold", text.replace("\\", "")) == [f"case-{i}" for i in range(8)]


@pytest.mark.parametrize(
    ("number", "more"),
    [
        (5, ""),
        (8, "3 more cases that improved by no more than those above"),
        (207, "202 more cases that improved by no more than those above"),
    ],
)
def test_the_notes_count_the_rises_that_they_do_not_name(tmp_path: Path, number: int, more: str) -> None:
    box = Box(tmp_path / "project")
    box.write("row3.toml", CONFIG)
    cases = {f"case-{i}": CASES["rye"] | {"sourceText": f"{CASES['rye']['sourceText']} {i}"} for i in range(number)}
    for case_id, case in cases.items():
        box.case(case_id, **case)
    for version, size in (("1.0", 3), ("1.1", 4)):
        box.prompt(version)
        box.record(version, {case_id: first(flawless(case), size) for case_id, case in cases.items()})
    box.row3("promote", "v1.0", code=0)
    box.row3("promote", "v1.1", code=0)
    text = box.read("CHANGELOG.md").partition("\n## v1.0 (")[0]
    assert text.count(" improvement on case-") == 5
    assert re.findall(r"- and (.* improved .*)", text) == [more] * bool(more)


@pytest.mark.parametrize(
    ("args", "level"),
    [(("--compare",), "90%"), (("promote", "v1.2"), "95%"), (("diff", "v1.1", "v1.2"), "90%")],
)
def test_the_heading_of_the_intervals_has_their_level(box: Box, args: tuple[str, ...], level: str) -> None:
    box.row3("promote", "v1.1", "--commit", code=0)
    worse(box, "1.2", 3)
    done = box.row3(*args)
    assert f"{level} interval" in done.out
