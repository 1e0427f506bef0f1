"""`row3 aliases review`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import click

from row3.cli import options
from row3.cli.common import Common
from row3.commands import aliases
from row3.errors import Row3Error, UsageError
from row3.gate.alias_review import AliasReview, Decision, Unmatched
from row3.reports import alias_review
from row3.reports.document import Document, Note
from row3.reports.sentences import some
from row3.reports.terminal import Style, terminal_text
from row3.running.session import Session

NAMED = 5
"""Most cases without a recorded answer that a note names."""
INTERRUPT, END = "\x03", "\x04"
"""Ctrl-C and Ctrl-D as read from the keyboard."""
ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""Arrow and function keys, Alt with a letter, Escape."""


@click.group(cls=options.Group)
def command() -> None:
    """Review items that recorded runs found but no golden case lists."""


@command.command()
@click.option("--list", "listing", is_flag=True, help="Only list the unmatched items.")
@options.suite()
@options.prompt("Review only this version; default: all.")
@options.choice()
@options.output_options("table", "json")
def review(common: Common, *, listing: bool) -> None:
    """Review the unmatched items of all recorded runs, one key each.

    Make an item an alias of an expected concept or a canary, or mark it as wrong. Each decision is saved at once, to
    the golden case or to golden/<suite>/reviewed.jsonl.
    """
    asking = not (listing or common.as_json)
    if asking:
        _check_can_ask(common)
    session = common.session()
    found = aliases.review(session.project, session.suite, only=session.options.only, named=common.prompt)
    if found.unanswered:
        common.say(f"skipped without a readable recorded answer: {some(found.unanswered, NAMED)}")
    if asking:
        _Review(session, found, common).run()
    else:
        common.show_report(alias_review.list_document(found), alias_review.list_json(found))


def _check_can_ask(common: Common) -> None:
    """Raise `UsageError` without a terminal, or if tracked files may not be written."""
    command_name = "row3 aliases review"
    if not common.can_ask:
        raise UsageError("no terminal to ask on", where=command_name, fix="Use --list or --format json in a pipe")
    common.check_may_write(command_name, "Use --list to see what there is to review", "golden cases")


def keys() -> Iterator[str]:
    """Yield each key pressed, without Enter, until Ctrl-D or the terminal's end. Raises `KeyboardInterrupt`."""
    while True:
        try:
            pressed = click.getchar()
        except (EOFError, OSError):
            return
        if not pressed:
            return
        for key in ESCAPE_SEQUENCE.sub("", pressed):
            if key == INTERRUPT:
                raise KeyboardInterrupt
            if key == END:
                return
            yield key.lower()


class Dialogue:
    """Writes to stderr, where a person answers by single keys."""

    def __init__(self, common: Common) -> None:
        self._style = Style(common.wants_colour and sys.stderr.isatty())

    def write(self, document: Document) -> None:
        """Write a document."""
        sys.stderr.write(terminal_text(document, self._style))
        sys.stderr.flush()

    def say(self, text: str) -> None:
        """Write a line."""
        self.write(Document([Note([text])]))


class _Review(Dialogue):
    """Asks about each item; the summary goes to stdout."""

    def __init__(self, session: Session, found: AliasReview, common: Common) -> None:
        super().__init__(common)
        self._found, self._common = found, common
        self._decider = aliases.Decider(session.project, session.suite, say=session.say)
        self._at = 0
        self._done: list[tuple[int, Decision | None]] = []
        """Index of each item with its decision; None if skipped."""
        self._answered: set[int] = set()
        """Items settled by a decision about a different item."""

    def run(self) -> None:
        """Ask until all items are judged or the user quits, then show the decisions."""
        items = self._found.items
        if items:
            self._show()
            for key in keys():
                if key == "q" or (self._at >= len(items) and key != "u"):
                    break
                try:
                    self._press(key)
                except Row3Error as error:
                    self.say(f"✗ {error}")
                else:
                    self._show()
        decisions = {at: decision for at, decision in self._done if decision is not None}
        left = len(items) - len(decisions) - len(self._answered)
        self._common.show_document(alias_review.summary_document(self._found, list(decisions.values()), left))

    def _show(self) -> None:
        """Show the next item that is still open."""
        items = self._found.items
        while self._done and self._at < len(items) and not self._decider.is_open(items[self._at]):
            self._answered.add(self._at)
            self._at += 1
        if self._at < len(items):
            sys.stderr.write("\n")
            self.write(alias_review.item_document(items[self._at], self._at + 1, len(items)))
        else:
            self.say("That was the last one. Press u to undo it, any other key to finish.")

    def _press(self, key: str) -> None:
        """Act on a key; raises `UsageError` for an unknown one, and what the decision raises."""
        if key == "u":
            if not self._done:
                raise UsageError("nothing to undo")
            at, decision = self._done[-1]
            if decision is not None:
                self._decider.undo(decision)
                self.say(f"– undone: {alias_review.decision_text(decision)}")
            self._done.pop()
            self._at = at
            self._answered = {each for each in self._answered if each < at}
            return
        decision = None if key == "s" else self._decide(key, self._found.items[self._at])
        self.say("– skipped" if decision is None else f"✓ {alias_review.decision_text(decision)} ({decision.file})")
        self._done.append((self._at, decision))
        self._at += 1

    def _decide(self, key: str, item: Unmatched) -> Decision:
        if key == "m":
            return self._decider.wrong(item)
        if key == "h":
            return self._decider.canary(item)
        number = "123456789".find(key) if key != "a" else 0
        if number < 0:
            raise UsageError(f"no key `{key}`", fix="Press one of the keys above")
        if number >= len(item.candidates):
            raise UsageError("no expected concept has that number", fix="Press m, h or s")
        return self._decider.alias(item, item.candidates[number])
