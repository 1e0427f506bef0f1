"""`dataclass` of the standard library, for a program that is started often.

The standard one writes and compiles up to seven methods for each class, half a millisecond in all; row3 has two hundred
such classes, and a command uses a few of them. Here `__init__` is compiled when the first object is made, and the other
methods need no compiling. What the classes do is the same: a test holds the two against each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

Method = Callable[..., Any]
_MADE_ANEW = object()
"""Stands for a default that each object has for itself."""
_bare = {slots: dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots) for slots in (False, True)}
"""Find the fields and give the class its slots; nothing is compiled for that."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        repr: bool = True,  # noqa: A002 - as the standard library names it
    ) -> type | Callable[[type], type]:
        """As `dataclasses.dataclass`, with the settings that row3 uses; its `replace`, `fields` and `asdict` work.

        Fields have no settings but `default`, `default_factory`, `compare` and `repr`.
        """
        if cls is None:
            return lambda given: _made(given, frozen=frozen, slots=slots, shown=repr)
        return _made(cls, frozen=frozen, slots=slots, shown=repr)


def _made(cls: type, *, frozen: bool, slots: bool, shown: bool) -> type:
    if cls.__doc__ is None:
        cls.__doc__ = ""  # the standard library would write the signature there, which takes long to find
    own = cls.__dict__
    made: type = _bare[slots](cls)
    methods: dict[str, Method | None] = {"__init__": _late_init(made, frozen), "__eq__": _equal(made), "__hash__": None}
    if shown:
        methods["__repr__"] = _shown
    if frozen:
        methods |= {"__hash__": _hash(made), "__setattr__": _no_setting(made), "__delattr__": _no_deleting(made)}
        if slots:
            methods |= {"__getstate__": _state(made), "__setstate__": _set_state(made)}
    for name, method in methods.items():
        # Its own body goes before; a class with its own `__eq__` alone has a `__hash__` of None from the interpreter.
        if own.get(name) is None:
            setattr(made, name, method)
    return made


def _late_init(cls: type, frozen: bool) -> Method:
    """An `__init__` that compiles the real one in its own place."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes a method
        real = _init(cls, frozen)
        setattr(cls, "__init__", real)  # noqa: B010 - an assignment is none to the type checker
        real(self, *args, **kwargs)

    return __init__


def _init(cls: Any, frozen: bool) -> Method:
    known: dict[str, Any] = {"_set": object.__setattr__, "_made_anew": _MADE_ANEW}
    parameters, lines = ["self"], []
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        if field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            parameters.append(f"{name}=_default_{name}")
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_factory_{name}"] = field.default_factory
            parameters.append(f"{name}=_made_anew")
            value = f"_factory_{name}() if {name} is _made_anew else {name}"
        else:
            parameters.append(name)
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", known)  # noqa: S102 - of nothing but the names of fields
    real: Method = known["__init__"]
    real.__qualname__ = f"{cls.__qualname__}.__init__"
    real.__module__ = cls.__module__
    return real


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of these fields of an object."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    only = attrgetter(names[0])
    return lambda one: (only(one),)


def _compared(cls: Any) -> Callable[[Any], tuple[Any, ...]]:
    return _values([field.name for field in dataclasses.fields(cls) if field.compare])


def _equal(cls: type) -> Method:
    values = _compared(cls)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(cls: type) -> Method:
    values = _compared(cls)

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _no_setting(cls: Any) -> Method:
    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807
        if type(self) is cls or name in cls.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    return __setattr__


def _no_deleting(cls: Any) -> Method:
    def __delattr__(self: object, name: str) -> None:  # noqa: N807
        if type(self) is cls or name in cls.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __delattr__


@recursive_repr()
def _shown(self: Any) -> str:
    told = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({told})"


def _state(cls: Any) -> Method:
    values = _values([field.name for field in dataclasses.fields(cls)])

    def __getstate__(self: object) -> list[Any]:  # noqa: N807
        return list(values(self))

    return __getstate__


def _set_state(cls: Any) -> Method:
    names = [field.name for field in dataclasses.fields(cls)]

    def __setstate__(self: object, state: list[Any]) -> None:  # noqa: N807
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __setstate__
