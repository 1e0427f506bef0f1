"""A baseline that is older than the cases and rules beside it: where a base judges, that is not the change's doing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from row3.domain.verdicts import Reason, Verdict
from row3.workflows.comparing.differences import RulesView, loosened

NAMED = 5
"""Cases that the ground names before it only counts."""


class Less(NamedTuple):
    """What asks for less than the baseline."""

    removed: Sequence[str]
    weakened: Mapping[str, Sequence[str]]
    """By case, what it no longer demands."""
    loosened: Sequence[str]


@dataclass(frozen=True, slots=True)
class OlderBaseline:
    """A base's cases, rules and baseline are all its own: what its baseline had more was given up before the change."""

    label: str
    """What messages call the base."""
    rules: RulesView
    """Of the base, without what the command line says."""
    brought: Collection[str] = ()
    """Ids of the cases that only the change has: what these demand is its doing."""
    flag: str = ""
    """What a printed command has to be given to be about this suite."""
    mended: bool = False
    """The change brings a new baseline."""

    def split(self, less: Less, baseline: RulesView, judging: RulesView) -> tuple[Less, list[Reason]]:
        """What is left to block for, and the ground that tells of the rest.

        `judging` are the base's rules with what the command line says of them: that may ask for less as well.
        """
        own = {case_id: gone for case_id, gone in less.weakened.items() if case_id in self.brought}
        older = [case_id for case_id in less.weakened if case_id not in own]
        parts = [f"{_listed(less.removed)} removed since"] if less.removed else []
        parts += [f"{_listed(older)} demanding less than in it"] if older else []
        parts += loosened(baseline, self.rules)
        left = Less((), own, loosened(self.rules, judging))
        return left, [self._reason("; ".join(parts))] if parts else []

    def _reason(self, what: str) -> Reason:
        alone = f"a change of its own with `row3 --baseline{self.flag}`"
        how = "the new baseline of this change" if self.mended else alone
        text = f"at {self.label} the baseline is older than the cases and rules there ({what}); {how} mends it"
        return Reason(Verdict.INVESTIGATE, text, cause="baseline" if self.mended else "stale")


def older_versions(
    baseline: Mapping[str, str], ran: Mapping[str, str], promoted: Mapping[str, str], *, label: str, flag: str
) -> list[Reason]:
    """What to say of a fall where all that ran otherwise than in the baseline was promoted at the base already.

    A promotion makes the baseline of one suite. Another one that asks the prompt keeps its own, and what the promotion
    was approved for would be met by every change after it as its own fall. All versions are by prompt.
    """
    moved = {name: version for name, version in ran.items() if baseline.get(name) != version}
    if not moved or any(promoted.get(name) != version for name, version in moved.items()):
        return []
    now = ", ".join(f"{name} {version}" for name, version in moved.items())
    text = (
        f"at {label} {now} is promoted already, and the baseline is of a version before: for a fall that came with it, "
        f"`row3 --baseline{flag}` in a change of its own, approved there once, is the way out"
    )
    return [Reason(Verdict.INVESTIGATE, text, cause="stale")]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"
