"""The parts of a suite that judging and reporting need."""

from __future__ import annotations

from dataclasses import dataclass

from row3.domain.runs import Tier
from row3.domain.typed_options import NOTHING, Given
from row3.gate.policy import GatePolicy
from row3.kinds.base import Kind, Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSuite:
    """The parts of a suite that judging and reporting need."""

    name: str
    kind: Kind
    rules: Rules
    policy: GatePolicy
    golden: str
    """Folder of the cases, relative to the project."""
    tier: Tier = "replay"
    """The tier of the thresholds, the limits and the baseline."""
    prompted: bool = True
    """A model answers prompts; otherwise a system under test answers calls."""
    local: bool = False
    """The model runs in this process."""
    address: str = ""
    """The model's address, if an environment variable sets it."""
    flag: str = ""
    """The option that selects the suite in a printed command, ` --suite NAME`; empty for the default suite."""
    given: Given = NOTHING
    """Other command-line options that select answers."""

    def flags(self, command: str, *said: str) -> str:
        """Return the options that make a printed command use this suite and the same answers; see `Given.flags`."""
        return self.flag + self.given.flags(command, *said)
