"""The failure checklist as Markdown: what stands above is referred to and not said again."""

from __future__ import annotations

from collections.abc import Iterator

from row3.reports.investigations.investigation_parts import Investigation, Question
from row3.reports.markdown import code, inline

LEGEND = (
    "`[x]` the data answer it, `[ ]` a person has to. 6.1 to 6.4 ask why something was missed, unexpected, misdirected "
    "or not quoted, 6.5 whether the golden case is right. Where nothing is wrong the first question stands for all."
)


def checklist_lines(found: Investigation) -> Iterator[str]:
    """The sections with their questions; `--format json` has every question with the names that it speaks of."""
    named = _named_above(found)
    if found.checks:
        yield from [LEGEND, ""]
    for title, questions in found.checks:
        shown = questions[:1] if _all_is_well(found, title, questions) else questions
        yield from [f"#### {title}", "", *(_question(question, named) for question in shown), ""]


def _named_above(found: Investigation) -> set[str]:
    """What the lists of the root cause name."""
    if found.status == "bad_answer":  # it has none
        return set()
    lists = (found.missed, found.invented, found.quotes)
    named = {item.label for items in lists for item in items}
    return named | {str(item.triple) for item in found.misdirected}


def _all_is_well(found: Investigation, title: str, questions: tuple[Question, ...]) -> bool:
    """There is nothing that a section could ask about; an answer that was cut off is something."""
    about = {"6.1": found.missed, "6.2": found.invented, "6.3": found.misdirected, "6.4": found.quotes}
    return not about.get(title[:3], ("always",)) and not any("cut off" in question.answer for question in questions)


def _question(question: Question, named: set[str]) -> str:
    again = named.issuperset(question.items)
    named.update(question.items)
    items = "named above" if again and question.items else ", ".join(map(code, question.items))
    answer = (", " if again else ": ").join(filter(None, (inline(question.answer), items)))
    return f"- [{' ' if question.open else 'x'}] {question.text}{f' {answer}.' if answer else ''}"
