"""Each suite is run once a test session, however many processes its tests are shared among."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from row3.workflows.suites.judge_suite import Flags, JudgedSuite, judge_suite, judged_from_json

LONGEST_RUN_S = 86_400.0
"""How long a process waits for another one's run: a live one of many cases takes hours."""
Key = tuple[Path, str]
"""A project's folder and the name of one of its suites."""


@dataclass
class Evaluations:
    """The suites of one session, each judged when the first of its tests is run."""

    flags: Flags
    shared: Path | None = None
    """Folder that all processes of the session see; None where there is one process."""
    wanted: dict[Key, frozenset[str] | None] = field(default_factory=dict)
    """By suite, the ids of the cases whose tests are to be run; None for all."""
    _held: dict[Key, JudgedSuite] = field(default_factory=dict)

    def of(self, key: Key) -> JudgedSuite:
        """The judged suite; whoever needs it first makes it, the others wait and read."""
        if key not in self._held:
            self._held[key] = self._once(key)
        return self._held[key]

    def _make(self, key: Key) -> JudgedSuite:
        return judge_suite(*key, self.flags, self.wanted.get(key))

    def _once(self, key: Key) -> JudgedSuite:
        if self.shared is None or not self.shared.is_dir():
            return self._make(key)
        name = hashlib.sha256(f"{key[0]}\n{key[1]}".encode()).hexdigest()[:16]
        file = self.shared / f"{name}.json"
        from filelock import FileLock  # brings asyncio: only processes that share their work pay for it

        with FileLock(self.shared / f"{name}.lock", timeout=LONGEST_RUN_S):
            if not file.exists():
                made = self._make(key)
                _write(file, made.as_json())
                return made
            return judged_from_json(file.read_text(encoding="utf-8"))


def _write(file: Path, text: str) -> None:
    """Whole or not at all: whoever is killed half-way leaves nothing that another would read."""
    half = file.with_suffix(".half")
    half.write_text(text, encoding="utf-8")
    half.replace(file)
