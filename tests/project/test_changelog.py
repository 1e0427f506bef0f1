"""Changelog entries and how they are put in."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from row3.domain.printable import plain
from row3.domain.runs import HistoryEntry
from row3.project.changelog import (
    TO_WRITE,
    MetricRow,
    approval_entry,
    bullets,
    changelog_entry,
    insert_entry,
    mark_figures,
    mixed_entries,
    unreleased_entry,
)

NAME = "decompose-concepts"
ROWS = [
    MetricRow("Recall", 0.70, 0.74, significant=True),
    MetricRow("Precision", 0.699, 0.6858),
    MetricRow("Hallucination rate", 0.01, 0.0, higher_is_better=False),
    MetricRow("Overall", None, 0.75),
    MetricRow("F1", 0.7, 0.70001),
]
ENTRY = changelog_entry(
    "v1.1",
    "2026-01-29",
    NAME,
    changes=["Added few-shot example for technical domains"],
    rows=ROWS,
    baseline_version="v1.0",
    notes=["Significant improvement on machine-learning.gold.json"],
)


OLD = "### Metrics Impact (15 cases of 2026-01-29; cases or scoring changed since)"


def promotion(day: str = "2026-01-29", version: str = "v1.1", prompt: str = NAME, scored: str = "then") -> HistoryEntry:
    return HistoryEntry(
        run_id="r1",
        at=f"{day}T10:00:00Z",
        action="promotion",
        suite="decomposition",
        prompts={"first": "v2.0", prompt: version},
        model="m",
        mode="replay",
        cases=15,
        metrics={},
        scored=scored,
    )


def test_figures_of_other_cases_are_marked_and_others_are_not() -> None:
    entries = [
        (ENTRY, promotion()),
        (ENTRY.replace("2026-01-29", "2026-01-30"), promotion("2026-01-30")),
        (ENTRY.replace("## v1.1", "## v1.2"), promotion(version="v1.2")),
        (ENTRY.replace(NAME, "other"), promotion(prompt="other")),
    ]
    text = "# Changelog\n\n" + unreleased_entry("v1.1", NAME) + "\n" + "\n".join(entry for entry, _ in entries)
    for entry, made in entries:
        mark = OLD.replace("2026-01-29", made.at[:10])
        marked = text.replace(entry, entry.replace("### Metrics Impact", mark))
        assert mark_figures(text, [made], "now") == marked
        assert mark_figures(marked, [made], "now") == marked
        assert mark_figures(marked, [], "now") == marked
        assert mark_figures(marked, [made], "then") == text
        assert mark_figures(text, [made.replace(scored="now") for _, made in entries], "now") == text


@pytest.mark.parametrize("scored", [("then", "now"), ("now", "then"), ("then", "then"), ("then", "now", "then")])
def test_each_promotion_of_a_day_has_its_own_mark(scored: tuple[str, ...]) -> None:
    text = "\n".join([ENTRY] * len(scored))
    marked = mark_figures(text, [promotion(scored=each) for each in scored], "now")
    marks = [line for line in marked.splitlines() if line.startswith("### Metrics Impact")]
    assert marks == ["### Metrics Impact" if each == "now" else OLD for each in reversed(scored)]


@given(
    st.lists(st.sampled_from([ENTRY, OLD, "### Metrics Impact by hand", "```", "## v1.1 (2026-01-29)", "é", ""])),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_a_mark_changes_no_other_line(lines: list[str], newline: str, mark: bool) -> None:
    text = "\ufeff" * mark + newline.join(lines).replace("\n", newline)
    marked = mark_figures(text, [promotion()], "now")
    for old, new in zip(text.split("\n"), marked.split("\n"), strict=True):
        assert old == new or (old.strip() in ("### Metrics Impact", OLD) and new.strip() == OLD)
    assert mark_figures(text, [], "now") == text


def test_an_entry_has_the_format_of_the_standards() -> None:
    assert (
        ENTRY
        == """\
## v1.1 (2026-01-29)

Prompt: decompose-concepts

### Changes
- Added few-shot example for technical domains

### Metrics Impact
| Metric | v1.0 | v1.1 | Delta |
|--------|------|------|-------|
| Recall | 70% | 74% | +4.0 points, significant |
| Precision | 69.9% | 68.6% | -1.3 points |
| Hallucination rate (lower is better) | 1% | 0% | -1.0 points |
| Overall | – | 75% | – |
| F1 | 70% | 70% | 0.0 points |

### Notes
- Significant improvement on machine-learning.gold.json
"""
    )


def test_a_first_version_has_nothing_to_compare_with() -> None:
    entry = changelog_entry(
        "v1.0", "2026-01-29", NAME, changes=["First promoted version"], rows=ROWS[:1], baseline_version=None
    )
    assert (
        entry
        == """\
## v1.0 (2026-01-29)

Prompt: decompose-concepts

### Changes
- First promoted version

### Metrics Impact
| Metric | v1.0 |
|--------|------|
| Recall | 74% |
"""
    )


def test_an_approval_is_noted() -> None:
    entry = changelog_entry(
        "v1.1", "2026-01-29", NAME, changes=["a"], rows=[], baseline_version="v1.0", approval="known gap (Ann)"
    )
    assert entry.endswith("### Notes\n- Approved: known gap (Ann)\n")


def test_a_description_and_a_reason_are_words_on_one_line_whatever_they_look_like() -> None:
    nasty = "fine\n\n## v9.9 (2026-01-01)\n![x](http://a.example/p.png) <img src=x>\u202e $(rm)"
    plainly = "fine ## v9.9"
    entry = changelog_entry(
        "v1.1", "2026-01-29", NAME, changes=[nasty], rows=[], baseline_version="v1.0", approval=nasty
    )
    assert [line for line in entry.splitlines() if line.startswith("#")] == [
        "## v1.1 (2026-01-29)", "### Changes", "### Metrics Impact", "### Notes",
    ]  # fmt: skip
    assert entry.count(plainly) == 2
    assert "![" not in entry
    assert entry.count("<img") == entry.count("\\<img") == 2
    assert "\u202e" not in entry


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("rye_2.gold.json: see #12, @anna (+1.5 points, 80%)", "rye_2.gold.json: see #12, @anna (+1.5 points, 80%)"),
        ("https://bread.example/a_b?c=1&d=$2 | {x}", "https://bread.example/a_b?c=1&d=$2 | {x}"),
        ("_all_ *of* `it` [is](x) <b> &lt; ~~not~~", r"\_all\_ \*of\* \`it\` \[is\](x) \<b> \&lt; \~\~not\~\~"),
        ("# 1", r"\# 1"),
        ("> 1", r"\> 1"),
        ("- 1", r"\- 1"),
        ("1. 1", r"1\. 1"),
    ],
)
def test_only_markup_is_escaped(text: str, written: str) -> None:
    assert bullets([text, " "]) == [f"- {written}"]


@given(st.text(max_size=40) | st.text("`*_<>|@#[]()!\\~:&;-=+1a. \n", max_size=40))
def test_a_bullet_is_read_as_it_is(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for line in bullets([text]):
        html = parser.render(line)
        assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"ul", "li"}
        assert unescape(re.sub(r"</?[a-z]+>", "", html)).split() == plain(text).split()


def test_an_approval_without_a_new_version_has_an_entry_of_its_own() -> None:
    entry = approval_entry("2026-01-29", "the model moved (Ann)")
    text = insert_entry("# Changelog\n\n## v1.0 (2025-12-01)\n\nfirst\n", entry, "", "")
    assert text.startswith("# Changelog\n\n## Approval (2026-01-29)\n\n### Notes\n- Approved:")
    assert text.endswith("## v1.0 (2025-12-01)\n\nfirst\n")


def test_an_approval_joins_the_notes_of_the_unreleased_version() -> None:
    text = insert_entry("", unreleased_entry("v1.1", NAME), "v1.1", NAME)
    text = insert_entry(text, unreleased_entry("v1.1", NAME, approval="known gap (Ann)"), "v1.1", NAME)
    assert text.count("## v1.1 (Unreleased)") == 1
    assert "### Notes\n- Approved: known gap (Ann)\n" in text


def test_an_empty_changelog_gets_its_heading() -> None:
    assert insert_entry("", ENTRY, "v1.1", NAME) == f"# Changelog\n\n{ENTRY}"


def test_the_newest_comes_first_after_the_prose_and_below_what_is_not_released() -> None:
    before = "# Changelog\n\nWhat changed, and why.\n\n"
    open_ = "## v2.0 (Unreleased)\n\nPrompt: map-ontology\n\n### Changes\n- soon\n\n"
    old = "## v1.0 (2025-12-01)\n\nfirst"
    assert insert_entry(before + open_ + old, ENTRY, "v1.1", NAME) == f"{before}{open_}{ENTRY}\n{old}"


def test_an_unreleased_entry_gives_way_and_its_words_stand_for_the_description() -> None:
    text = insert_entry("# Changelog\n\n## v1.0 (2025-12-01)\n\nfirst\n", unreleased_entry("v1.1", NAME), "v1.1", NAME)
    written = text.replace(TO_WRITE, "- Clarified atomicity\n  for compound concepts")
    written = written.replace("\n## v1.0", "\nAsked for by Ann.\n\n### Migration\nNone.\n\n## v1.0")
    assert insert_entry(written, ENTRY, "v1.1", NAME) == (
        "# Changelog\n\n## v1.1 (2026-01-29)\n\nPrompt: decompose-concepts\n\n### Changes\n- Clarified atomicity\n"
        "  for compound concepts\n\nAsked for by Ann.\n\n"
        + ENTRY[ENTRY.index("### Metrics") :]
        + "\n### Migration\nNone.\n\n## v1.0 (2025-12-01)\n\nfirst\n"
    )


def test_the_same_version_of_another_prompt_stays() -> None:
    other = insert_entry("", unreleased_entry("v1.1", "map-ontology"), "v1.1", "map-ontology")
    text = insert_entry(other, ENTRY, "v1.1", NAME)
    assert text == f"{other}\n{ENTRY}"


def test_an_entry_is_not_put_in_twice() -> None:
    once = insert_entry("# Changelog\n", ENTRY, "v1.1", NAME)
    assert insert_entry(once, ENTRY, "v1.1", NAME) == once


def test_headings_in_code_and_comments_are_none() -> None:
    text = "# Changelog\n\n```\n## v9.0 (Unreleased)\n```\n\n<!--\n## template\n-->\n\n## v1.0 (2025-12-01)\n"
    assert insert_entry(text, ENTRY, "v1.1", NAME) == text.replace("## v1.0", f"{ENTRY}\n## v1.0")


def test_line_ends_and_a_byte_order_mark_stay() -> None:
    text = "\ufeff# Changelog\r\n\r\n## v1.0 (2025-12-01)\r\n\r\nfirst"
    result = insert_entry(text, ENTRY, "v1.1", NAME)
    assert result == text.replace("## v1.0", ENTRY.replace("\n", "\r\n") + "\r\n## v1.0")


def mixed(text: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(entry.line, entry.names) for entry in mixed_entries(text)]


def test_an_entry_that_a_merge_mixed() -> None:
    assert mixed(ENTRY) == mixed(f"# Changelog\n\n{ENTRY}\n{ENTRY}") == mixed("") == []
    two = "# C\n\n## v1.1 (Unreleased)\n\nPrompt: a\nPrompt: `b`\n\n### Changes\n- c\n"
    assert mixed(two) == [(6, ("a", "b"))]
    assert mixed(two.replace("\n", "\r\n")) == mixed(two)
    assert mixed(f"Prompt: a\n{ENTRY}") == []


def test_words_and_examples_are_no_second_prompt() -> None:
    assert mixed("## v1.1 (Unreleased)\n\nPrompt: a\n\nPrompt: it is asked twice\n- Prompt: b\n") == []
    assert mixed("## v1.1 (Unreleased)\n\nPrompt: a\n\n```\nPrompt: b\n```\n") == []


def test_which_promotion_a_mixed_entry_concerns() -> None:
    (entry,) = mixed_entries("## [1.1] (unreleased)\nPrompt: a\nPrompt: b\n")
    assert (entry.concerns("v1.1", "a"), entry.concerns("v1.1", "b")) == (True, True)
    assert (entry.concerns("v1.2", "a"), entry.concerns("v1.1", "c")) == (False, False)
    (released,) = mixed_entries("## v1.1 (2026-01-01)\nPrompt: a\nPrompt: b\n")
    assert not released.concerns("v1.1", "a")


pieces = st.sampled_from(
    [
        "## v1.0 (2025-12-01)",
        "## v1.1 (Unreleased)",
        "## [1.1] (unreleased)",
        f"Prompt: {NAME}",
        "Prompt: map-ontology",
        "### Changes",
        "### Notes",
        "### Metrics Impact",
        "### Other",
        "- by hand",
        "```",
        "<!--",
        "-->",
        "",
        "  words",
    ]
)
line = pieces | st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)


def test_two_lists_of_changes_are_one() -> None:
    text = "## v1.1 (Unreleased)\n\n### Changes\n- one\n\n### Notes\n- a note\n\n### Changes\n- two\n- one\n"
    result = insert_entry(text, ENTRY, "v1.1", NAME)
    assert "### Changes\n- one\n\n- two\n- one\n\n### Metrics Impact" in result
    assert result.count("### Changes") == 1
    assert "- a note\n- Significant" in result


@given(st.lists(line, max_size=25), st.sampled_from(["\n", "\r\n"]), st.booleans())
@example(["## v1.1 (Unreleased)", "### Changes", "- by hand", "### Changes", "- by hand"], "\n", False)
@settings(max_examples=300)
def test_no_word_is_lost(lines: list[str], newline: str, ended: bool) -> None:
    text = newline.join(lines) + (newline if ended else "")
    result = insert_entry(text, ENTRY, "v1.1", NAME)
    entry = ENTRY.replace("\n", "\r\n" if "\r\n" in text else "\n")
    left = result.replace("\r", "").split("\n")
    for each in text.replace("\r", "").split("\n"):
        if each.strip() and "nreleased)" not in each and not each.startswith(("Prompt:", "### ")):
            assert each in left
            left.remove(each)
    if "nreleased)" not in text and text.strip("\ufeff \t\r\n"):
        at = result.index(entry)
        rest = result[:at] + result[at + len(entry) :]
        assert rest.replace("\r", "").replace("\n", "") == text.replace("\r", "").replace("\n", "")


@given(st.lists(line, max_size=25))
def test_a_second_time_changes_nothing(lines: list[str]) -> None:
    text = "\n".join(lines)
    if "nreleased)" not in text:
        once = insert_entry(text, ENTRY, "v1.1", NAME)
        assert insert_entry(once, ENTRY, "v1.1", NAME) == once
