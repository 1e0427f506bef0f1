"""`row3 aliases review`."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from row3.cli import options
from row3.cli.commands import Group
from row3.cli.common import Common
from row3.cli.output import note
from row3.errors import Row3Error, UsageError

if TYPE_CHECKING:
    from row3.kinds.alias_review import AliasReview, Decision, Unmatched
    from row3.reports.alias_list import Part
    from row3.reports.document import Document
    from row3.workflows.session import Session

NAMED = 5
"""Cases without a recorded answer that a note names; it counts the rest."""
INTERRUPT, END = "\x03", "\x04"
"""Ctrl-C and Ctrl-D, as they arrive while keys are read one at a time."""
NO_LETTER = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""Arrows, function keys, Alt with a letter, Escape."""


@click.group(cls=Group)
def command() -> None:
    """Judge what recorded runs found and no golden case knows: alias, real miss or hallucination."""


@command.command()
@click.option(
    "--list",
    "part",
    type=click.Choice(["all", "unmatched", "unused"]),
    is_flag=False,
    flag_value="unmatched",
    help="Ask nothing: a line for each unmatched item; for each alias that never met anything; or both.",
)
@click.option("--again", is_flag=True, help="Ask also about the items that were judged to be real misses before.")
@options.suite()
@options.prompt("Review this version only; default: all of them.")
@options.case()
@options.output_options("table", "json", also=".tsv")
def review(common: Common, *, part: Part | None, again: bool) -> None:
    """Go through the unmatched items of all recorded runs, one key each.

    An item becomes an alias of an expected concept, a canary, or is remembered as a real miss. Each decision is written
    at once: to the golden case, or to golden/<suite>/reviewed.jsonl.
    """
    from row3.reports.alias_list import list_document, list_json, list_text
    from row3.reports.alias_review import unused_told
    from row3.workflows.aliases.alias_review import review as gather

    asking = part is None and not common.as_json
    if asking:
        _check_can_ask(common)
    session = common.session()
    found = gather(session.project, session.suite, case=common.case, named=common.prompt, again=again)
    if found.unanswered and not common.quiet:
        more = len(found.unanswered) - NAMED
        listed = ", ".join(found.unanswered[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
        note(f"left out, as they have no readable recorded answer: {listed}")
    if asking:
        _Dialogue(session, found, common, again=again).run()
        return
    if common.as_json:
        common.show(list_json(found, part or "all"))
    elif common.on_terminal:
        common.show_document(list_document(found, part or "all"))
    else:
        common.show(list_text(found, part or "all"))
    if part == "unmatched" and found.unused:
        common.say(unused_told(found))


def _check_can_ask(common: Common) -> None:
    """Raise `UsageError` without a terminal, or if no tracked file may be written."""
    here = "row3 aliases review"
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("there is no terminal to ask on", where=here, fix="Use --list or --format json in a pipe")
    if not common.may_write:
        what = "no golden case is written in CI"
        raise UsageError(what, where=here, fix="Use --list to see what there is to review")


def _keys() -> Iterator[str]:
    """Yield each key pressed, without Enter, until Ctrl-D or the terminal's end. Raises `KeyboardInterrupt`."""
    waiting: deque[str] = deque()
    while True:
        while not waiting:
            try:
                pressed = click.getchar()
            except (EOFError, OSError):
                return
            if not pressed:
                return
            waiting.extend(NO_LETTER.sub("", pressed))
        key = waiting.popleft()
        if key == INTERRUPT:
            raise KeyboardInterrupt
        if key == END:
            return
        yield key


class _Dialogue:
    """Asks about one item after the other on stderr; the result goes to stdout."""

    def __init__(self, session: Session, found: AliasReview, common: Common, *, again: bool) -> None:
        from row3.reports.style import Style
        from row3.workflows.aliases.alias_decisions import Decider

        self._session, self._found, self._common, self._again = session, found, common, again
        self._decider = Decider(session.project, session.suite, say=session.say)
        self._style = Style(common.wants_colour and sys.stderr.isatty())
        self._items = list(found.items)
        self._at = 0
        self._done: list[tuple[int, Decision | None]] = []
        """Items by their place, with the decision; None for a skipped one."""

    def run(self) -> None:
        """Ask until all items are judged or the user ends it, then show what was decided."""
        from row3.reports.alias_review import summary_document

        if self._items:
            self._show()
            for key in _keys():
                if key in "qQ" or (self._over and key not in "uU"):
                    break
                if self._press(key.lower()):
                    self._show()
        decisions = [decision for _, decision in self._done if decision is not None]
        left = len(self._items) - len(decisions)
        self._common.show_document(summary_document(self._found, decisions, left))

    @property
    def _over(self) -> bool:
        return self._at >= len(self._items)

    def _show(self) -> None:
        from row3.reports.alias_review import item_document

        if self._over:
            self._say("That was the last one. u undoes it, any other key ends the review.\n")
        else:
            self._say("\n")
            self._show_document(item_document(self._items[self._at], self._at + 1, len(self._items)))

    def _press(self, key: str) -> bool:
        """Do what a key stands for; returns whether to show the screen again."""
        from row3.reports.alias_review import help_document, outcome, refusal

        item = None if self._over else self._items[self._at]
        try:
            if key == "u":
                return self._undo()
            if item is None:
                return False
            if key == "x" and len(item.forms) > 1:
                return self._split(item)
            if key == "?":
                self._show_document(help_document())
                return False
            if key == "s":
                self._say("– skipped\n")
                self._next(None)
                return True
            decision = self._decide(key, item)
        except Row3Error as error:
            self._show_document(refusal(str(error)))
            return False
        if decision is None:
            self._say("  ? shows what the keys do\n")
            return False
        self._show_document(outcome(decision))
        self._next(decision)
        return True

    def _decide(self, key: str, item: Unmatched) -> Decision | None:
        """Write the decision that a key stands for, and return it; None for any other key."""
        if key == "m":
            return self._decider.wrong(item)
        if key == "h":
            return self._decider.canary(item)
        number = "123456789".find(key) if key != "a" else 0
        if number < 0:
            return None
        if number >= len(item.candidates):
            what = "there is no expected concept of that number" if item.candidates else "there is none to choose"
            raise UsageError(what, fix="Press m, h or s, or ? for help")
        return self._decider.alias(item, item.candidates[number])

    def _next(self, decision: Decision | None) -> None:
        self._done.append((self._at, decision))
        self._at += 1

    def _undo(self) -> bool:
        from row3.reports.alias_review import undone

        if not self._done:
            raise UsageError("there is nothing to undo")
        at, decision = self._done[-1]
        if decision is not None:
            self._decider.undo(decision)
            self._show_document(undone(decision))
        self._done.pop()
        self._at = at
        return True

    def _split(self, item: Unmatched) -> bool:
        """Replace an item by its forms, each an item of its own."""
        from row3.workflows.aliases.alias_review import apart

        session = self._session
        parts = apart(session.project, session.suite, item, named=self._common.prompt, again=self._again)
        self._items[self._at : self._at + 1] = parts
        return True

    def _show_document(self, document: Document) -> None:
        from row3.reports.terminal import terminal_text

        self._say(terminal_text(document, self._style))

    def _say(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
