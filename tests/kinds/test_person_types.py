from __future__ import annotations

from row3.kinds.person_types import is_person_type
from row3.matching.names import NameIndex, match_names
from row3.matching.scorers import Named, NameRule
from tests.rows import every_row


@every_row(
    ("type_", "told"),
    [("Person", True), ("PERSON", True), ("ORG", False), ("Organizations", False), ("PLACE", False), ("Role", None)],
)
def test_which_types_are_persons(type_: str, told: bool | None) -> None:
    assert is_person_type(type_) is told
    assert is_person_type(None) is None


@every_row(("told", "state"), [(True, "fuzzy"), (None, "fuzzy"), (False, "unmatched")])
def test_a_type_overrides_the_look_of_a_name(told: bool | None, state: str) -> None:
    index = NameIndex([Named("Henry Ford", (), told)], (), NameRule())
    assert match_names(["H. Ford"], index)[0].state == state
