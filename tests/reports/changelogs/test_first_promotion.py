"""What is said of a promotion that has nothing to be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from row3.domain.verdicts import Cause, Reason, Verdict
from row3.reports.changelogs.first_promotion import first_verdict
from row3.reports.model import ApprovalView, RunView
from row3.reports.style import PLAIN, cells

VERSION = "decompose-concepts-v1.0"


@dataclass
class First:
    run: RunView
    verdict: Verdict = Verdict.BLOCK
    reasons: Sequence[Reason] = ()
    approval: ApprovalView | None = None
    refused: bool = True


def blocked(run: Any, cause: Cause, **more: Any) -> str:
    return first_verdict(First(run, reasons=(Reason(Verdict.BLOCK, "why it is", cause=cause),), **more), VERSION, PLAIN)


@pytest.mark.parametrize(("cause", "cure"), [("answers", "mend the prompt"), ("cases", "mend what is named above")])
def test_a_block_says_what_to_mend(run: Any, cause: Cause, cure: str) -> None:
    text = blocked(run, cause)
    assert text.startswith("Why\n  ✗ block        why it is\n\n───")
    assert f"Next: {cure} and run row3 promote {VERSION} again" in " ".join(text.split())


def test_the_next_command_names_a_suite_that_is_not_the_default_one(run: Any) -> None:
    other = replace(run, suite=replace(run.suite, flag=" --suite rolls"))
    assert f"row3 promote --suite rolls {VERSION} again" in " ".join(blocked(other, "answers").split())


def test_what_only_informs_blocks_nothing(run: Any) -> None:
    text = blocked(run, "answers", refused=False)
    assert text.endswith("  This gate is informational: it reports, and blocks nothing.\n")
    assert "Next:" not in text


def test_what_passes_has_no_grounds(run: Any) -> None:
    text = first_verdict(First(run, Verdict.PROCEED, refused=False), VERSION, PLAIN)
    assert text.startswith("───")
    assert "✓ PROCEED  Overall " in text
    assert all(cells(line) <= 80 for line in text.splitlines())
