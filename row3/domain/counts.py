"""Numbers beside the words that they count: the one place that knows what one of a thing is called."""

from __future__ import annotations


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 case`, `1,204 cases`; with the verb where it has one: `count(n, "case is", "cases are")`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def part(number: int, whole: int, noun: str, verb: str = "", verbs: str = "") -> str:
    """`0 of 1 case`, `3 of 15 cases`; with a verb, which goes by the part: `1 of 15 cases has`, `0 of 1 case have`."""
    told = f" {verb if number == 1 else verbs}" if verb else ""
    return f"{number:,} of {count(whole, noun)}{told}"
