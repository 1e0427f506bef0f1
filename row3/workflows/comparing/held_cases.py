"""Cases that cannot be compared, held to what the baseline says of them: no pair, and yet no place to hide a fall."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from row3.domain.verdicts import Compared, Reason, Verdict
from row3.gate.pairs import Pairs
from row3.store.run_records import RunHeader
from row3.store.suites import Suite
from row3.workflows.comparing.differences import signature_change
from row3.workflows.comparing.evidence import same_requests
from row3.workflows.comparing.older_baseline import OlderBaseline
from row3.workflows.comparing.other_texts import Fall, falls, other_text_reasons
from row3.workflows.pipeline.results import CaseResult

OTHER_TEXT = "whose text is another than the baseline's"
UNSCORED = "whose old answer cannot be scored again"


class Among(Protocol):
    """A comparison that has such cases."""

    @property
    def pairs(self) -> Pairs: ...

    otherwise: list[str]
    older: OlderBaseline | None


class HeldCases:
    """Adds them up beside the pairs of all that can be compared."""

    def __init__(self, suite: Suite, before: RunHeader) -> None:
        self._suite, self._before = suite, before
        self._pairs = Pairs(suite.kind)
        self._whose: set[str] = set()
        self.critical: dict[str, float] = {}
        """Critical cases among them that broke, and what they have now of the primary metric."""

    def take(self, result: CaseResult, compared: Compared, *, broke: bool) -> None:
        """Take in a case that counts and that has only what the baseline `saved`; `broke` if it is critical and did."""
        if compared.saved is None:
            return
        self._pairs.add(compared.saved, result.metrics)
        self._whose.add(UNSCORED if compared.unscored else OTHER_TEXT)
        if broke:
            self.critical[result.case_id] = result.metrics.get(self._suite.kind.primary, 0.0)

    def falls(self, pairs: Pairs) -> dict[str, Fall]:
        """How the gated metrics moved over these and `pairs`."""
        return falls(pairs, self._pairs, self._suite.kind.metrics, self._suite.policy)

    def reasons(self, pairs: Pairs, scorer: str) -> list[Reason]:
        """What of a fall they say together with `pairs`; where not `scorer` gave their old figures, that too."""
        whose = ", or ".join(sorted(self._whose, reverse=True))
        if self._before.scorer != scorer:
            whose += f" (scored then by another scorer: {signature_change(self._before.scorer, scorer)})"
        return other_text_reasons(pairs, self._pairs, self._suite.kind.metrics, self._suite.policy, whose=whose)

    def judged(
        self, reasons: Iterable[Reason], among: Among, now: RunHeader, as_there: Callable[[], bool]
    ) -> tuple[Reason, ...]:
        """The `reasons` of a comparison of `among`, and their own, each with what is to be done about it.

        A fall that the base has already was told, and stopped, by the change that brought it: `as_there` says whether
        all that runs answers as at the base.
        """
        own = self.reasons(among.pairs, now.scorer)
        if not (own or self.critical):
            return tuple(reasons)
        known = as_there()
        same = same_requests(self._before, now) and not among.otherwise

        def by_cause(reason: Reason) -> Reason:
            if not known:
                return replace(reason, cause="texts") if same else reason
            approved = ", approved there once," if reason.verdict is Verdict.BLOCK else ""
            alone = f"`row3 --baseline{self._suite.flags('row3 --baseline')}` in a change of its own{approved}"
            mended = among.older is not None and among.older.mended
            ends = "the new baseline of this change" if mended else alone
            text = f"{reason.text}; it is so at the base, and {ends} ends that"
            return replace(reason, verdict=Verdict.INVESTIGATE, text=text, cause="baseline" if mended else "stale")

        theirs = (by_cause(r) if r.cause == "answers" and r.case_id in self.critical else r for r in reasons)
        return (*theirs, *map(by_cause, own))
