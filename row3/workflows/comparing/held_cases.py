"""Cases that cannot be compared, held to what the baseline says of them: no pair, and yet no place to hide a fall."""

from __future__ import annotations

from row3.domain.verdicts import Compared, Reason
from row3.gate.other_texts import other_text_reasons
from row3.gate.pairs import Pairs
from row3.store.run_records import RunHeader
from row3.store.suites import Suite
from row3.workflows.comparing.differences import signature_change
from row3.workflows.pipeline.results import CaseResult

OTHER_TEXT = "whose text is another than the baseline's"
UNSCORED = "whose old answer cannot be scored again"


class HeldCases:
    """Adds them up beside the pairs of all that can be compared."""

    def __init__(self) -> None:
        self.pairs = Pairs()
        self.critical: set[str] = set()
        """Critical cases among them that broke."""
        self._whose: set[str] = set()

    def take(self, result: CaseResult, compared: Compared, *, broke: bool) -> None:
        """Take in a case that counts and that has only what the baseline `saved`; `broke` if it is critical and did."""
        if compared.saved is None:
            return
        self.pairs.add(compared.saved, result.metrics)
        self._whose.add(UNSCORED if compared.unscored else OTHER_TEXT)
        if broke:
            self.critical.add(result.case_id)

    def reasons(self, pairs: Pairs, suite: Suite, before: RunHeader, now: RunHeader) -> list[Reason]:
        """What of a fall they say together with `pairs`; where another scorer gave their old figures, that too."""
        whose = ", or ".join(sorted(self._whose, reverse=True))
        if before.scorer != now.scorer:
            whose += f" (scored then by another scorer: {signature_change(before.scorer, now.scorer)})"
        return other_text_reasons(pairs, self.pairs, suite.kind.metrics, suite.policy, whose=whose)
