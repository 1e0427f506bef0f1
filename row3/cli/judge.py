"""`row3 judge label`, `row3 judge calibrate`, `row3 judge compare`."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import click

from row3.cli import options
from row3.cli.aliases import Dialogue, keys
from row3.cli.common import Common
from row3.commands import calibrate as calibrating
from row3.commands.calibrate import JudgedAnswer, Labelling
from row3.domain.judges import Winner
from row3.domain.models import as_json
from row3.project.labels import labels_path
from row3.project.root import own_file
from row3.reports import judges

GRADES = {"1": 0.0, "2": 25.0, "3": 50.0, "4": 75.0, "5": 100.0, "p": 100.0, "f": 0.0}
"""Grade of each key, 0 to 100."""
SKIP, QUIT = "s", "q"


@click.group(cls=options.Group)
def command() -> None:
    """Measure a judge against people's labels."""


@command.command()
@options.suite()
@options.option(
    "--labels",
    "file",
    metavar="LABELS.jsonl",
    help="Append labels to this file; default: calibrations/<suite>.labels.jsonl.",
)()
def label(common: Common, *, file: str | None) -> None:
    """Label recorded answers one at a time, without seeing the judge's grade.

    Press one key per answer: 1 to 5 for a grade from 0 to 100, p for pass, f for fail. For a pair, say which answer is
    better and whether each passes. s skips, q quits. Each label is saved at once and not asked again. Keys may come
    from a pipe.
    """
    common.check_may_write("row3 judge label", "Label on your own machine", "labels")
    project, suite = common.project_and_suite()
    path, where = _labels(project.root, suite.name, file)
    labelling = Labelling.begin(project, suite, path, where=where, say=common.say)
    _Labels(labelling, common).run()
    left = len(labelling.open)
    given = f"{labelling.labelled:,} of {labelling.labelled + left:,} answers have a label in {where}"
    common.show(f"{given}\nNext: row3 judge calibrate{suite.flag} {where}" if labelling.labelled else given)


@command.command()
@click.argument("file", metavar="LABELS.jsonl")
@options.dry_run("Show the figures, and write nothing.")
@options.suite()
@options.output_options("table", "json", "markdown")
def calibrate(common: Common, *, file: str, dry_run: bool) -> None:
    """Measure the suite's judge against labels of the same answers, and save the result.

    Writes calibrations/<suite>.json, which is valid for this rubric, these models and this number of votes.
    """
    if not dry_run:
        common.check_may_write("row3 judge calibrate", "Add --dry-run", "calibrations")
    project, suite = common.project_and_suite()
    report = calibrating.calibrate(project, suite, Path(file), where=file, write=not dry_run, say=common.say)
    common.show_report(judges.calibration_document(report, verbose=common.verbose > 0), _plain(report))


@command.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@options.option("--labels", metavar="LABELS.jsonl", help="Labels; default: calibrations/<suite>.labels.jsonl.")()
@options.suite()
@options.output_options("table", "json", "markdown")
def compare(common: Common, *, first: str, second: str, labels: str | None) -> None:
    """Compare two rubrics, or two models, on the same labels.

    A and B are versions such as helpfulness-v1.1, rubric names, or models. Their grades must be recorded.
    """
    project, suite = common.project_and_suite()
    path, where = _labels(project.root, suite.name, labels)
    found = calibrating.compare_judges(project, suite, (first, second), path, where=where)
    common.show_report(judges.comparison_document(found, verbose=common.verbose > 0), _plain(found))


def _plain(report: object) -> dict[str, Any]:
    return {"schemaVersion": 1, **as_json(report)}


def _labels(root: Path, suite: str, file: str | None) -> tuple[Path, str]:
    """Return the file of labels and its name in messages. Raises `InvalidFile` for a symbolic link in the project."""
    where = labels_path(suite) if file is None else file
    return own_file(root / where if file is None else Path(file)), where


def _pressed() -> Iterator[str]:
    """Yield each key pressed on a terminal, else each non-blank character of stdin."""
    if sys.stdin is None:
        return
    if sys.stdin.isatty():
        yield from keys()
        return
    while character := sys.stdin.read(1):
        if not character.isspace():
            yield character.lower()


class _Labels(Dialogue):
    """Asks about one answer after another."""

    def __init__(self, labelling: Labelling, common: Common) -> None:
        super().__init__(common)
        self._labelling = labelling
        self._pressed = _pressed()
        self._shown = ""
        """Digest of the rubric shown last."""

    def run(self) -> None:
        """Ask until all answers are labelled, the user quits, or the input ends."""
        labelling = self._labelling
        total = labelling.labelled + len(labelling.open)
        skipped: list[JudgedAnswer] = []
        while labelling.open:
            answer = labelling.open[0]
            self._show(answer, f"{labelling.labelled + len(skipped) + 1} of {total}")
            done = self._two(answer) if "baseline" in answer.graded.variables else self._one(answer)
            if done == QUIT:
                break
            labelling.open.pop(0)
            if done == SKIP:
                skipped.append(answer)
        labelling.open += skipped

    def _one(self, answer: JudgedAnswer) -> str:
        """Ask for a grade and keep it; returns the last key."""
        key = self._key(judges.GRADE_KEYS, GRADES)
        if key in GRADES:
            self._labelling.keep(answer, grade=GRADES[key], winner=None, passes=None)
        return key

    def _two(self, answer: JudgedAnswer) -> str:
        """Ask which of two answers is better and whether each passes; asking about one would reveal which it is."""
        places: tuple[Winner, Winner] = ("baseline", "full")
        if swapped := self._labelling.swapped(answer):
            places = places[::-1]
        pressed = [self._key(judges.WINNER_KEYS, "12t")]
        for name in ("first", "second"):
            if pressed[-1] in (SKIP, QUIT):
                return pressed[-1]
            pressed.append(self._key(f"Does the {name} answer pass? {judges.VERDICT_KEYS}", "pf"))
        better, *passes = pressed
        if passes[-1] in "pf":
            winner: Winner = "tie" if better == "t" else places[int(better) - 1]
            self._labelling.keep(answer, grade=None, winner=winner, passes=passes[not swapped] == "p")
        return passes[-1]

    def _key(self, question: str, allowed: Container[str]) -> str:
        """Return the next key that is allowed, or `s` or `q`; `q` at the end of the input."""
        self.say(question)
        for key in self._pressed:
            if key in (SKIP, QUIT) or key in allowed:
                return key
            self.say(f"no key `{key}`: {question}")
        return QUIT

    def _show(self, answer: JudgedAnswer, place: str) -> None:
        rubric = self._labelling.rubric(answer)
        document = judges.answer_document(
            rubric,
            answer.case_id,
            answer.graded.variables,
            place=place,
            with_rubric=self._shown != rubric.digest,
            swapped=self._labelling.swapped(answer),
        )
        self._shown = rubric.digest
        sys.stderr.write("\n")
        self.write(document)
