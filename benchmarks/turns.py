"""Processor time of row3 beside a bare loop over the same cases: in one process, in turns of ten cases.

Other work on the machine slows both alike, so that their ratio holds where seconds do not. What a process does once
(imports, patterns, word lists) is done before, with a few cases of another project.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from row3.domain.prompts import Lineup
from row3.domain.runs import ELSEWHERE
from row3.domain.scores import CaseScore
from row3.project.project import open_project, pick_suite
from row3.running.collect import collect, header_for
from row3.running.evaluate import Asking
from row3.running.run_options import RunOptions
from row3.running.score import MODEL, output_results
from row3.running.session import open_session
from row3.running.suite_run import run_suite

TURN = 10
"""Cases of a turn."""
WARM_CASES = 20
"""Cases with which a process begins, and which are not measured."""
ROUNDS = 5
OPTIONS = RunOptions(explain=True, jobs=1)


@dataclass
class Turns:
    """Runs the bare loop whenever row3 has scored ten cases."""

    bare: Iterator[object]
    """Takes one case in each step."""
    row3_s: float = 0.0
    bare_s: float = 0.0
    _done: int = 0
    _since: float = field(default_factory=time.process_time)

    def take(self, score: CaseScore) -> None:
        """Take a result of row3; after every tenth, the bare loop takes as many cases."""
        self._done += 1
        if self._done % TURN == 0:
            self.switch()

    def switch(self) -> None:
        """Let the bare loop take its turn, and stop both clocks."""
        now = time.process_time()
        self.row3_s += now - self._since
        for _ in islice(self.bare, TURN):
            pass
        self._since = time.process_time()
        self.bare_s += self._since - now

    @property
    def ratio(self) -> float:
        """Row3's time over the bare loop's."""
        return self.row3_s / self.bare_s


def score(root: Path, turns: Turns) -> None:
    """Do the work of `row3 score --format json`."""
    project = open_project(root)
    suite = pick_suite(project, None)
    lineup = Lineup((), {})
    head = header_for(suite, Asking(suite, lineup, {}), mode=ELSEWHERE) | {"model": MODEL}
    results = output_results(project, suite, root / "outputs.jsonl", OPTIONS)
    collect(results, suite, lineup, head, partial=False, take=turns.take)
    turns.switch()


def replay(root: Path, turns: Turns) -> None:
    """Do the work of `row3 --format json`."""
    run_suite(open_session(root, None, OPTIONS), take=turns.take)
    turns.switch()


WORK: Mapping[str, Callable[[Path, Turns], None]] = {"score": score, "replay": replay}


def measure(work: str, root: Path, few: Path, bare: Callable[[Path], Iterator[object]]) -> None:
    """Print the ratio and both times for a project, after a few cases of another one."""
    WORK[work](few, Turns(bare(few)))
    turns = Turns(bare(root))
    WORK[work](root, turns)
    print(turns.ratio, turns.row3_s, turns.bare_s)


def medians(module: str, work: str, root: Path, few: Path, rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Return the medians of what `measure` prints in a few processes, each `python -m module --one …`."""
    command = (sys.executable, "-m", module, "--one", work, str(root), str(few))
    found = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(rounds)]
    ratios, row3_s, bare_s = zip(*(map(float, done.stdout.split()) for done in found), strict=True)
    return statistics.median(ratios), statistics.median(row3_s), statistics.median(bare_s)


def line(what: str, figures: tuple[float, float, float]) -> str:
    """Return a line of a table: ratio, and the two times in seconds."""
    ratio, row3_s, bare_s = figures
    return f"{what:<28}{ratio:6.2f} x{row3_s:9.2f} s{bare_s:9.2f} s bare"
