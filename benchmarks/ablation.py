"""What each matching rule earns: precision, recall and F1 on all labelled pairs with the rule switched off.

    python -m benchmarks.ablation

A rule whose row is that of all rules earns nothing and can go.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import row3.matching
from benchmarks.matching import DATA, Figures, by_row3, count, read_pairs

Off = Callable[..., Any]


def _nothing(value: object) -> Off:
    return lambda *_args, **_options: value


def _itself(name: str, *_args: object) -> str:
    return name


RULES: dict[str, tuple[str, Off]] = {
    "values": ("value.values.value_of", _nothing(None)),
    "values within names": ("value.values.with_values", _itself),
    "signs": ("value.values.signs_differ", _nothing(False)),
    "persons": ("person.same_person.parse_persons", _nothing(None)),
    "roles of persons": ("person.roles._role", _nothing("")),
    "surname first": ("person.same_person.reversed_order", _nothing(False)),
    "different surnames": ("person.same_person.surnames_differ", _nothing(False)),
    "forms": ("variant.forms._trimmed", _itself),
    "fillers": ("variant.variants.without_filler", _nothing("")),
    "additions": ("variant.additions.same_but_for_addition", _nothing(False)),
    "legal forms": ("variant.marks.split_company", lambda name: (name, frozenset())),
    "abbreviations": ("variant.abbreviations.spelt_out", _nothing("")),
    "numbered": ("variant.numbered.numbered", _nothing(())),
    "theory of relativity": ("variant.word_order._without_of", _nothing("")),
    "inverted: Korea, South": ("variant.word_order._inverted", _nothing("")),
    "Nobel Prize in Physics": ("variant.word_order._without_in", _nothing(())),
    "treated with aspirin": ("variant.word_order._hyphenated", _nothing("")),
    "ban on smoking": ("variant.word_order._field_first", _nothing("")),
    "and": ("variant.word_order._swapped", _nothing("")),
    "geographic": ("variant.word_order._geographic", _nothing("")),
    "cancer of the kidney": ("variant.word_order.with_adjective", _nothing("")),
    "not": ("variant.word_order.negated", _nothing(())),
    "acronyms": ("variant.acronyms.introduced", _nothing({})),
    "codes and units by case": ("variant.marks.mark_difference", _nothing("")),
    "slips": ("word.slips.word_difference", _nothing("different words")),
    "slips in names of persons": ("word.contradictions.person_difference", _nothing("different persons")),
    "names with name endings": ("word.slips._are_two_names", _nothing(False)),
    "veto on spelling": ("word.contradictions.contradict", _nothing(None)),
    "differences in the text": ("text.quotes.differ_by_text", _nothing(False)),
}


@contextmanager
def switched_off(path: str, off: Off) -> Iterator[None]:
    """Replace a function wherever it was imported, with all caches emptied before and after."""
    for module in pkgutil.walk_packages(row3.matching.__path__, "row3.matching."):
        importlib.import_module(module.name)
    modules = [module for name, module in sys.modules.items() if name.startswith("row3.matching")]
    owner, _, name = path.rpartition(".")
    function = getattr(importlib.import_module(f"row3.matching.{owner}"), name)
    held = [(module, key) for module in modules for key, value in vars(module).items() if value is function]
    caches = [value for module in modules for value in vars(module).values() if hasattr(value, "cache_clear")]
    for used in (off, function):
        for module, key in held:
            setattr(module, key, used)
        for cache in caches:
            cache.cache_clear()
        if used is off:
            yield


def _row(name: str, figures: Figures) -> str:
    return f"{name:<34}{figures.precision:>10.4f}{figures.recall:>9.4f}{figures.f1:>9.4f}"


def main() -> None:
    """Print a row for all rules, and one for each rule switched off."""
    pairs = read_pairs(*sorted(DATA.glob("name_pairs*.jsonl")))
    print(f"{len(pairs)} pairs{'':<24}{'precision':>9}{'recall':>9}{'F1':>9}")
    print(_row("all rules", count(pairs, by_row3)))
    for name, (path, off) in RULES.items():
        with switched_off(path, off):
            print(_row(f"without {name}", count(pairs, by_row3)), flush=True)


if __name__ == "__main__":
    main()
