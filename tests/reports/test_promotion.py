"""What a promotion says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from row3.domain.judgements import Code, Judgement, Reason
from row3.domain.prompts import PromptRef, parse_version
from row3.domain.verdicts import Verdict
from row3.gate.outcomes import PromotionResult
from row3.reports.promotion import promotion_document
from row3.reports.style import Style
from row3.reports.terminal import terminal_text
from tests.reports.conftest import ANN

FAILS = Reason(Code.ENTERED_FAIL_ZONE, Verdict.BLOCK, "recall", {"before": None, "after": 0.5, "minimum": 0.6})


VERSION = parse_version("v1.1")
assert VERSION is not None
REF = PromptRef("decompose-concepts", VERSION)


def promoted(
    run: Any, comparison: Any = None, verdict: Verdict = Verdict.PROCEED, reasons: Sequence[Reason] = (), **more: Any
) -> PromotionResult:
    given: dict[str, Any] = {
        "judgement": Judgement(verdict, tuple(reasons), complete=True, signature=""),
        "approval": None,
        "promoted": (str(REF),),
        "dry_run": False,
        "files": ("prompts/promoted.json", "CHANGELOG.md"),
        "entry": "## decompose-concepts v1.1\n\nBetter.\n",
    }
    return PromotionResult(REF, run, comparison, **given | more)


def said(promotion: PromotionResult, *, verbose: bool = False) -> str:
    return terminal_text(promotion_document(promotion, verbose=verbose), Style(width=200))


def test_a_promotion_lists_what_it_wrote(comparison: Any, make: Any) -> None:
    run = replace(comparison.run, header=replace(comparison.run.header, action="promotion"))
    done = promoted(run, make.judged(replace(comparison, run=run)), commit="0a1b2c3d4e5f")
    text = said(done)
    assert text.startswith("✓ PROCEED  Overall 70.0%")
    assert text.endswith(
        "decompose-concepts v1.1 is promoted. Written as one change:\n\n"
        "    prompts/promoted.json\n    CHANGELOG.md\n\n"
        "committed as 0a1b2c3d4e\n"
    )
    assert "Cases:" not in text
    assert "Cases:" in said(done, verbose=True)
    assert said(replace(done, commit=None)).endswith("\n\nCommit these files together.\n")


def test_a_refused_promotion_wrote_nothing(comparison: Any, make: Any) -> None:
    text = said(promoted(comparison.run, comparison, Verdict.BLOCK, refused=True))
    assert "Cases:" in text
    assert text.endswith("decompose-concepts v1.1 was not promoted; nothing was written.\n")


def test_a_dry_run_shows_files_and_entry(comparison: Any, make: Any) -> None:
    text = said(promoted(comparison.run, make.judged(comparison), dry_run=True))
    assert "would be promoted; without --dry-run these files are written:\n\n    prompts/promoted.json\n" in text
    assert "\n    ## decompose-concepts v1.1\n" in text


def test_a_first_promotion_is_judged_by_its_zones(run: Any) -> None:
    text = said(promoted(run))
    assert "✓ PROCEED  Overall 70.0% · 2 cases, no baseline to compare with\n" in text
    refused = said(promoted(run, None, Verdict.BLOCK, (FAILS,), refused=True))
    assert "✗ BLOCK  Overall 70.0%" in refused
    assert "✗ block: Concept recall is in its fail zone: 50.0% (minimum 60%)\n" in refused
    assert "Next: fix the prompt and run row3 promote decompose-concepts-v1.1 again, or accept" in refused
    signed = said(promoted(run, None, Verdict.BLOCK, (FAILS,), approval=ANN))
    assert "✓ APPROVED (was: block)  Overall 70.0%" in signed
    assert "approved by Ann: known gap\n" in signed
    locked = Reason(Code.LOCK_BROKEN, Verdict.BLOCK, "a-v1.0")
    assert "Next: fix what is named above" in said(promoted(run, None, Verdict.BLOCK, (locked,), refused=True))
