"""How big the HTML report is, and how fast it opens and answers in Chromium.

    python -m benchmarks.report 1000 10000

Takes numbers of cases. For each a project is made, its report written and opened three times; the medians are printed.
Asks for Chromium and playwright, as the tests of the report do.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.generate import generate
from benchmarks.run import row3
from tests.browsers import Opened, browser, open_page

ROUNDS = 3
LONGEST = """() => {
  window.longest = 0;
  new PerformanceObserver((seen) => {
    for (const task of seen.getEntries()) window.longest = Math.max(window.longest, task.duration);
  }).observe({ type: "longtask", buffered: true });
}"""
NOWHERE = "a word that is in no case"


def timed(act: Callable[[], Any]) -> float:
    """Seconds that it takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def search(page: Opened) -> None:
    """Look through all texts and answers."""
    page.page.fill("#search", NOWHERE)
    page.until(lambda: page.text("#found").startswith("0 of "))


def next_case(page: Opened) -> None:
    """Open the next case by the keyboard."""
    before = page.case_id()
    page.press("j")
    page.until(lambda: page.case_id() != before)


def figures(started: Any, file: Path) -> dict[str, float]:
    """One opening: seconds until the cases can be clicked, until one is open, until a search is through; and the
    longest that the page did not listen.
    """
    opened: list[Opened] = []
    ready = timed(lambda: opened.append(open_page(started, file)))
    page = opened[0]
    page.run(LONGEST)
    found = {"ready s": ready, "case s": timed(lambda: next_case(page)), "search s": timed(lambda: search(page))}
    found["longest task s"] = page.run("window.longest") / 1000
    page.page.context.close()
    return found


def main() -> None:
    """Command line."""
    print(
        f"{'cases':>8} {'MB':>6} {'written s':>9} {'ready s':>8} {'case s':>7} {'search s':>8} {'longest task s':>14}"
    )
    for cases in [int(each) for each in sys.argv[1:]] or [1_000]:
        with tempfile.TemporaryDirectory(prefix="row3-report-") as name, browser() as started:
            project = generate(Path(name) / "project", cases)
            row3(project, "--baseline")
            written = timed(partial(row3, project, "report", "--out", "report.html"))
            file = project / "report.html"
            rounds = [figures(started, file) for _ in range(ROUNDS)]
            ready, case, searched, longest = (statistics.median(each[key] for each in rounds) for key in rounds[0])
            size = file.stat().st_size / 1e6
            print(f"{cases:8,} {size:6.1f} {written:9.2f} {ready:8.2f} {case:7.2f} {searched:8.2f} {longest:14.2f}")


if __name__ == "__main__":
    main()
