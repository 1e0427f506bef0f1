"""What hook, comparison, promotion and report advise: every command that they print runs."""

from __future__ import annotations

import html
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

import pytest

from row3.commands.hook import HookVerdict
from row3.comparing.compare import compare
from row3.domain.judgements import Code, Reason, Verdict
from row3.gate.results import Comparison, judged
from row3.reports.comparison import next_note
from row3.reports.hook import hook_document
from row3.reports.terminal import terminal_text
from row3.running.run_options import RunOptions
from row3.running.session import open_session
from tests.chat_server import FakeModel, FakeReply
from tests.journeys import BASELINE, GOOD, RYE, draft, settings
from tests.projects import CASES, SUITE, Box, first

CHECK = "case yeast check:max_words 20"
SUBJECTS: dict[Code, tuple[str, ...]] = {
    **dict.fromkeys(Code, ("",)),
    **dict.fromkeys((Code.WORSE, Code.WORSE_UNPROVEN, Code.INCONCLUSIVE, Code.ROLLING_DROP), ("overall", "recall")),
    **dict.fromkeys((Code.NO_LONGER_MEASURED, Code.ENTERED_FAIL_ZONE, Code.IN_FAIL_ZONE), ("recall",)),
    **dict.fromkeys((Code.CASE_BROKE, Code.CRITICAL_BROKE, Code.QUARANTINED_FELL, Code.NO_ANSWER), ("rye",)),
    Code.CANARY: ("hallucinationRate",),
    Code.INCOMPARABLE: ("rye",),
    Code.RECORDED_AGAIN: ("rye", "embedding of rye"),
    **dict.fromkeys(
        (Code.CRITERIA_ADDED, Code.CRITERIA_CHANGED, Code.CRITERIA_REMOVED, Code.CRITERIA_LOOSENED),
        (
            "case late",
            "case late concept:dough",
            CHECK,
            "rule gate.block",
            f"suite {SUITE}",
            "baseline",
            "quarantine rye",
        ),
    ),
    Code.BASELINE_DIFFERS: ("baseline",),
    Code.LOCK_BROKEN: ("extract-v1.0",),
}
END = re.compile(r"[),`]| [.·] |\.(?= |$)| (?:again|asks|shows|with all|Or|To|or|Then|See)\b")


def told(comparison: Comparison, *, hook: bool) -> list[str]:
    """The commands of the hook's screen, or of the last lines of a comparison or promotion."""
    if hook:
        verdict = HookVerdict("pre-commit", base="HEAD", results=[judged(comparison)])
        text = terminal_text(hook_document(verdict)).partition("row3 stops this")[2]
    else:
        text = " ".join(map(str, next_note(comparison).texts))
    parts = re.split(r"(?=\b(?:row3 |git ))", " ".join(text.split()))[1:]
    found = [END.split(part)[0].strip() for part in parts]
    return [each.replace("REASON", "agreed") for each in found if not each.startswith("git add")]


@pytest.fixture(params=[2, 3])
def fallen(box: Box, model: Callable[..., FakeModel], request: pytest.FixtureRequest) -> tuple[Box, Comparison]:
    """A project whose draft is worse by 6 points or 2, committed, and what a comparison says of it."""
    concepts = request.param
    model(lambda *_: FakeReply("{}")).serve(box)  # for commands that ask
    draft(box, "1.2", {each: first(answer, concepts if each == "rye" else 3) for each, answer in GOOD.items()})
    box.commit()
    session = open_session(box.root, None, RunOptions())
    return box, compare(session)


@pytest.mark.parametrize("moved", [True, False])
def test_every_command_runs(fallen: tuple[Box, Comparison], moved: bool) -> None:
    box, comparison = fallen
    if not moved:
        cases = [each._replace(move="unchanged", deltas={}) for each in comparison.cases]
        comparison = replace(comparison, cases=cases)
    promotion = replace(comparison.run, header=comparison.run.header.replace(action="promotion"))
    printed: dict[str, str] = {}
    for code, subject in ((each, subject) for each in Code for subject in SUBJECTS[each]):
        for verdict in (Verdict.BLOCK, Verdict.INVESTIGATE):
            judgement = replace(comparison.judgement, verdict=verdict, reasons=(Reason(code, verdict, subject),))
            made = replace(comparison, judgement=judgement)
            given = [told(made, hook=True), told(made, hook=False), told(replace(made, run=promotion), hook=False)]
            printed |= {command: f"{code} {subject}" for commands in given for command in commands}
    assert {" ".join(command.split()[:2]) for command in printed} == {
        "row3 --compare", "row3 --baseline", "row3 trend", "row3 investigate", "row3 promote", "git diff"
    }  # fmt: skip
    check_runs(box, printed)


def check_runs(box: Box, printed: Mapping[str, str]) -> None:
    """Run each command in a copy of the project; the values say why it was printed."""
    for number, (command, reason) in enumerate(printed.items()):
        program, *args = shlex.split(command)
        copy = box.copy(box.root.parent / f"copy-{number}")
        done = copy.row3(*args) if program == "row3" else copy.git(*args, code=None)
        assert done.code in (0, 1), (reason, command, done)


def less(*, rye: int, others: int = 4) -> Callable[[Box], object]:
    """A draft that finds so many of the four concepts of each case."""
    return lambda box: draft(
        box, "1.2", {each: first(answer, rye if each == "rye" else others) for each, answer in GOOD.items()}
    )


STATES: dict[str, Callable[[Box], object]] = {
    "a draft is as good": less(rye=4),
    "a draft falls by 2 points": less(rye=3),
    "a draft falls by 6 points": less(rye=3, others=3),
    "a draft falls into fail zones": less(rye=1, others=1),
    "an answer is unusable": lambda box: draft(box, "1.2", GOOD | {"rye": "no JSON"}),
    "a case is removed": lambda box: box.path(RYE).unlink(),
    "a limit is raised": lambda box: settings(box, f"[suites.{SUITE}.gate]\nblock = 6\n"),
    "the limit of a draft is lower": lambda box: (
        less(rye=3)(box), settings(box, f"[suites.{SUITE}.gate]\nblock = 2\n")
    ),
    "only the primary metric is gated": lambda box: (
        less(rye=3)(box), settings(box, f"[suites.{SUITE}.gate]\nmetrics = ['overall']\n")
    ),
}  # fmt: skip
SHOWN = (
    ("--compare",),
    ("--compare", "--against", "HEAD"),
    ("promote", "v1.2"),
    ("promote", "v1.2", "--dry-run"),
    ("hook", "run"),
    ("report",),
    ("report", "--format", "html"),
)
COMMAND = re.compile(
    r"\b(?:row3 (?:--|(?:investigate|promote|report|trend|lint|history|new-version)\b)|git (?:diff|add) )"
)


@pytest.mark.parametrize("state", STATES)
def test_every_command_of_an_output_runs(work: Box, state: str) -> None:
    STATES[state](work)
    work.git("add", "-A")
    printed: dict[str, str] = {}
    for args in SHOWN:
        done = work.copy(work.root.parent / "shown").row3(*args)
        shutil.rmtree(work.root.parent / "shown")
        text = " ".join(html.unescape(re.sub(r"<[^>]*>", " . ", f"{done.out} . {done.err}".replace("\\", ""))).split())
        starts = [found.start() for found in COMMAND.finditer(text)]
        commands = (END.split(text[one:other])[0].strip() for one, other in pairwise([*starts, len(text)]))
        printed |= {each.replace("REASON", "agreed"): " ".join(args) for each in commands}
    assert printed or "as good" in state
    check_runs(work, printed)


CHANGES: dict[str, tuple[Callable[[Box], object], str]] = {
    "a case is removed": (lambda box: box.path(RYE).unlink(), "Restore the golden cases."),
    "a concept is no longer expected": (
        lambda box: box.case("rye", expectedConcepts=CASES["rye"]["expectedConcepts"][:3]),
        "Restore the golden cases.",
    ),
    "the limit is raised": (lambda box: settings(box, f"[suites.{SUITE}.gate]\nblock = 6\n"), "Restore row3.toml."),
    "the baseline is edited": (
        lambda box: box.write(BASELINE, box.git("show", f"HEAD~1:{BASELINE}").out),
        "Save the baseline again (row3 --baseline).",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_hook_names_the_cure_and_no_case(work: Box, name: str) -> None:
    change, cure = CHANGES[name]
    change(work)
    work.git("add", "-A")
    done = work.row3("hook", "run", code=1)
    assert cure in done.err
    assert "row3 investigate" not in done.err
