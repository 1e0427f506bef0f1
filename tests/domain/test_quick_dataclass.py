"""The quick `dataclass` and the one of the standard library make classes that do the same."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import row3
from row3.domain.quick_dataclass import dataclass

MODES = [{"frozen": frozen, "slots": slots} for frozen in (False, True) for slots in (False, True)]
values = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=2)


def _pair(frozen: bool, slots: bool, names: list[str], defaults: list[Any]) -> tuple[type, type]:
    """The same class made by each; the last fields have the defaults."""
    made = []
    for decorate in (dataclasses.dataclass, dataclass):
        body: dict[str, Any] = {"__annotations__": dict.fromkeys(names, "object"), "__module__": __name__}
        body |= dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        made.append(decorate(frozen=frozen, slots=slots)(type("Made", (), body)))
    return made[0], made[1]


def _outcome(call: Any) -> Any:
    try:
        return call()
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


@given(
    mode=st.sampled_from(MODES),
    count=st.integers(0, 4),
    given_values=st.lists(values, max_size=5),
    other_values=st.lists(values, max_size=5),
    defaults=st.lists(values, max_size=4),
    changed=st.sampled_from("abcdx"),
)
def test_objects_do_what_those_of_the_standard_library_do(
    mode: dict[str, bool],
    count: int,
    given_values: list[Any],
    other_values: list[Any],
    defaults: list[Any],
    changed: str,
) -> None:
    names = list("abcd"[:count])
    told = []
    for made in _pair(**mode, names=names, defaults=defaults[:count]):
        first = _outcome(lambda made=made: made(*given_values))
        second = _outcome(lambda made=made: made(**dict(zip("abcdx", other_values, strict=False))))
        one = [
            list(inspect.signature(made.__init__).parameters),
            repr(first),
            repr(second),
            first == second,
            first != second,
        ]
        for thing in (first, second):
            if isinstance(thing, made):
                one += [
                    _outcome(lambda thing=thing: hash(thing)),
                    repr(copy.copy(thing)),
                    repr(dataclasses.astuple(thing)),
                ]
                # With both, older Pythons trip over a class that they have made anew where the name is no field.
                if changed in names or not all(mode.values()):
                    one.append(_outcome(lambda thing=thing: setattr(thing, changed, 1)))
                    one.append(_outcome(lambda thing=thing: delattr(thing, changed)))
        told.append(one)
    assert told[0] == told[1]


@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    marks: list[str] = dataclasses.field(default_factory=list)
    note: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Named(Point):  # noqa: PLW1641 - what that makes of its hash is tested
    """A place with a name, equal to any of that name."""

    name: str = "somewhere"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name == other.name

    def __repr__(self) -> str:
        return self.name


@dataclass
class Counter:
    """Not frozen, with room for more, and work to do after it is made."""

    start: int
    before: list[Any] = dataclasses.field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.at = self.start + 1


def test_each_object_has_its_own_of_what_is_made_anew() -> None:
    first, second = Point(1), Point(1)
    first.marks.append("seen")
    assert (second.marks, first == second) == ([], False)


def test_fields_that_do_not_count_are_not_compared() -> None:
    assert Point(1, note="a") == Point(1, note="b")


def test_a_frozen_object_with_slots_can_be_pickled_and_changed_in_a_copy() -> None:
    place = Point(3, ["x"], "far")
    again = pickle.loads(pickle.dumps(place))
    assert (again, again.note, dataclasses.replace(place, x=4)) == (place, "far", Point(4, ["x"]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.x = 5


def test_what_a_class_says_itself_goes_before() -> None:
    assert (Named(1, name="here") == Named(2, name="here"), repr(Named(1))) == (True, "somewhere")
    assert hash(Named(1, ())) == hash(Named(1, ()))  # type: ignore[arg-type]


def test_what_comes_after_init_is_done_and_a_ring_can_be_shown() -> None:
    counter = Counter(1)
    counter.before.append(counter)
    assert (counter.at, repr(counter)) == (2, "Counter(start=1)")


@dataclass
class Ring:
    """Holds what holds it."""

    next: Any = None


def test_a_ring_is_shown_once() -> None:
    ring = Ring()
    ring.next = ring
    assert repr(ring) == "Ring(next=...)"


def test_no_class_of_row3_uses_what_is_not_supported() -> None:
    found = 0
    for module in pkgutil.walk_packages(row3.__path__, "row3."):
        if module.name == "row3.__main__":
            continue
        for made in vars(importlib.import_module(module.name)).values():
            if isinstance(made, type) and dataclasses.is_dataclass(made) and made.__module__ == module.name:
                if made.__dataclass_params__.init:  # made by the standard library
                    continue
                found += 1
                for field in made.__dataclass_fields__.values():
                    assert (field.init, field.hash, bool(field.kw_only)) == (True, None, False), (made, field.name)
                    assert "InitVar" not in str(field.type), (made, field.name)
    assert found > 100
