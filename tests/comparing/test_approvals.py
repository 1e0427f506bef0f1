"""What says nothing is no reason; what says little is one."""

from __future__ import annotations

import pytest

from row3.comparing.approvals import check_reason
from row3.errors import UsageError
from tests.rows import every_row


def check(reason: str) -> None:
    check_reason(reason, where="--approve", write="why it is acceptable")


@every_row("reason", ["", " \n", "\u200b", "\u2060\ufeff \u00ad", "\u202e", "\u3164", "\uffa0\u115f"])
def test_invisible_characters_are_no_reason(reason: str) -> None:
    with pytest.raises(UsageError, match=r"^--approve: the reason is empty\. Write why it is acceptable\.$"):
        check(reason)


@every_row("reason", [".", "-", "—", "?!", "…", "...", "***", "_", "\u2800", "🙂", "( )", "+", "$"])
def test_a_reason_needs_a_letter_or_digit(reason: str) -> None:
    with pytest.raises(UsageError, match="is a placeholder, not a reason"):
        check(reason)


@every_row(
    "reason",
    [
        *("REASON", "<reason>", "'Reason'", "$REASON", "R E A S O N", "REASON REASON", "ＲＥＡＳＯＮ", "re\u200bason"),
        *("TEXT", "why?", "TODO", "to do", "TODO: reason", "tbd", "T.B.D.", "FIXME", "n/a", "None.", "x", "xxx", "X X"),
    ],
)
def test_a_placeholder(reason: str) -> None:
    with pytest.raises(UsageError, match=r"is a placeholder, not a reason\. Write why it is acceptable, in quotes"):
        check(reason)


@every_row(
    "reason",
    [
        *(
            "agreed", "#42", "42", "JIRA-7", "ok", "The reason: shorter answers ...", "TODO of Ann, see #41",
            "NaN scores",
        ),
        *("Größe", "了解", "急", "согласовано", "موافق", "मंज़ूर", "None of them matter", "x86 only"),
    ],
)  # fmt: skip
def test_a_reason(reason: str) -> None:
    check(reason)
