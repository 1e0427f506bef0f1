"""What the gate says of a change in a real repository, as codes and subjects: the tests of whole journeys share it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.projects import CASES, SUITE, Box, first, flawless

BASELINE = f"baselines/{SUITE}.json"
LOCKS = "prompts/promoted.json"
RYE = f"golden/{SUITE}/rye.gold.json"
HISTORY = "metrics-history.json"
GOOD = {case_id: flawless(case) for case_id, case in CASES.items()}
POOR = {case_id: first(answer, 2) for case_id, answer in GOOD.items()}


@dataclass(frozen=True)
class Told:
    """A comparison's exit code and result."""

    code: int
    value: Mapping[str, Any]

    @property
    def reasons(self) -> set[str]:
        """`block worse overall`: verdict, code and subject, with `after` where only the head's criteria say so."""
        return {_line(reason) for reason in self.value["reasons"]}

    def figures(self, code: str, subject: str = "") -> Mapping[str, Any]:
        """The figures of a reason that is given."""
        found = [each for each in self.value["reasons"] if (each["code"], each["subject"]) == (code, subject)]
        assert found, self.reasons
        figures: Mapping[str, Any] = found[0]["figures"]
        return figures


def _line(reason: Mapping[str, Any]) -> str:
    verdict = {"proceed": "note"}.get(reason["verdict"], reason["verdict"])
    after = " (after)" if reason["after"] else ""
    return f"{verdict} {reason['code']} {reason['subject']}".strip() + after


def judged(box: Box, *args: str, against: str | None = "main", code: int | None = None) -> Told:
    """What CI says of the work tree."""
    base = () if against is None else ("--against", against)
    done = box.row3("--compare", *base, *args, "--format", "json", CI="1")
    assert done.out, done
    told = Told(done.code, done.json)
    assert code is None or done.code == code, (done.code, sorted(told.reasons) if "reasons" in told.value else told)
    return told


def signed(box: Box, *args: str, reason: str = "agreed") -> Told:
    """Approve against main, and what CI says then."""
    box.row3("--compare", "--against", "main", *args, "--approve", reason, code=0)
    return judged(box, *args)


def merge(box: Box, message: str = "work") -> None:
    """Commit everything, and make main what it is."""
    box.commit(message)
    branch = box.git("rev-parse", "--abbrev-ref", "HEAD").out.strip()
    if branch != "main":
        box.git("branch", "-f", "main", "HEAD")


def draft(box: Box, version: str, answers: Mapping[str, Any]) -> None:
    """Add a version of the prompt with its answers."""
    box.prompt(version)
    box.record(version, answers)


def fewer_expected(*case_ids: str, most: int) -> dict[str, Sequence[Any]]:
    """The first so many expected concepts of each case."""
    return {case_id: CASES[case_id]["expectedConcepts"][:most] for case_id in case_ids or CASES}


def edit_json(box: Box, name: str, **fields: Any) -> None:
    """Give a file of JSON other fields."""
    box.write(name, json.dumps(json.loads(box.read(name)) | fields, indent=1) + "\n")


def settings(box: Box, text: str) -> None:
    """Put more into row3.toml."""
    box.write("row3.toml", box.read("row3.toml") + text)
