"""The comment on a pull request; nothing in it but row3's own markup."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from markdown_it import MarkdownIt

from row3.domain.verdicts import CaseChange, Reason, Verdict
from row3.reports.markdowns.markdown import markdown_report

HOSTILE = "`x` | <img src=x onerror=alert(1)> @octocat #1 [a](http://e.vil) www.e.vil </details> **b** ![i](j) $x$ :+1:"


def test_a_report_fits_one_screen_and_folds_the_rest(comparison: Any) -> None:
    assert markdown_report(comparison.run, comparison) == REPORT


def test_a_plain_run_has_no_verdict(run: Any) -> None:
    text = markdown_report(run, declines=3)
    assert text.startswith("### row3 · decomposition\n")
    assert "3 consecutive declining runs" in text
    assert not any(word in text for word in ("PROCEED", "INVESTIGATE", "BLOCK"))


def test_no_markup_comes_from_cases_or_models(make: Any) -> None:
    run = make.run({HOSTILE: {"overall": 0.5}})
    run = replace(run, collected=make.Collected(bad=[HOSTILE]), problems=[(HOSTILE, HOSTILE)])
    change = CaseChange(HOSTILE, "regressed", -0.1, lost={"missedConcepts": (HOSTILE,), "missedLinks": (HOSTILE,)})
    comparison = make.comparison(
        run,
        [change],
        verdict=Verdict.BLOCK,
        reasons=(Reason(Verdict.BLOCK, HOSTILE),),
        differs=(HOSTILE,),
        prompt_diffs={HOSTILE: f"+```\n+{HOSTILE}\n+````"},
        approval=make.Approval(HOSTILE, HOSTILE, HOSTILE),
    )
    html = rendered(markdown_report(run, comparison))
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= OWN
    outside = re.sub(r"(?s)<(code|pre)[^>]*>.*?</\1>", "", html)
    assert not re.search(r"[@#]\w", outside)


def rendered(text: str) -> str:
    """The HTML of GitHub's dialect."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return str(parser.render(text))


OWN = {"h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
OWN |= {"details", "summary", "code", "pre", "blockquote", "br"}
REPORT = """\
### ⛔ BLOCK · row3 · decomposition

decompose-concepts v1.1 (candidate; promoted v1.0) → map-ontology v1.0 (promoted) · reference-llm · replay

**Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed**

| Metric | Before | Now | Points | 95% interval | Zone | Verdict | n |
| :-- | --: | --: | --: | --: | :-- | :-- | --: |
| Concept recall | 72.0% | 70.0% | −2.0 | −7.1…+3.1 | ✓ pass |  | 2 |
| Hallucination rate | 7.0% | 5.0% | −2.0 | −7.1…+3.1 | ! marginal |  | 2 |
| Overall | 72.0% | **70.0%** | −2.0 | −7.1…+3.1 | ! marginal |  | 2 |

- ⛔ Concept recall is worse by 6.0 points (more than 5)
- ⚠️ ozone is odd

<details><summary>Cases: 1 improved · 1 regressed</summary>

- `ozone` 70.0 → 60.0 (−10.0)
  - no longer unexpected: `Gas`
  - lost: `Halons`, `ozone layer`
  - canary extracted: `Kyoto Protocol`
  - 1 relationship lost: `Halons IS_A Gas`
- `bank-runs` 75.0 → 80.0 (+5.0)
  - found: `banks`

</details>

<details><summary>What changed</summary>

- baseline: decompose-concepts v1.0 → map-ontology v1.0 · reference-llm · 2026-01-29 10:15 UTC
- prompt decompose-concepts: v1.0 → v1.1

`decompose-concepts`

```diff
--- a
+++ b
@@ -1 +1 @@
-List them.
+List all of them.
```

</details>

<details><summary>Beside these</summary>

| Metric | Before | Now | Points | 95% interval | Zone | Verdict | n |
| :-- | --: | --: | --: | --: | :-- | :-- | --: |
| Duplicate rate | 4.5% | 2.5% | −2.0 | −7.1…+3.1 |  |  | 2 |

</details>

> Next: row3 investigate ozone<br>Then: mend the prompt and run row3 --compare again; or, if it has to be, --approve REASON.
"""  # noqa: E501
