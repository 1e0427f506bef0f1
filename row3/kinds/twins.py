"""Structs that stand for the pydantic models of golden cases: a run reads ten thousand of them.

A twin is derived from its model, field by field, with the same names, keys, types, defaults and limits, so the two
cannot drift apart. It reads a file in a third of the time and finds no fault: what it does not take at once is the
model's to judge, and to complain about. What it takes, the model takes too, and reads the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain
from operator import attrgetter
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import msgspec
from annotated_types import Ge
from pydantic import BaseModel

NOT_BLANK = r"\S"
"""The pattern of most texts. A struct is slow at patterns, so this one is looked after here."""


class _Form(msgspec.Struct, frozen=True):
    """A struct, and where in it stand texts that must not be blank."""

    struct: type[msgspec.Struct]
    texts: tuple[attrgetter[Any], ...]
    """Fields that are a text."""
    optional: tuple[attrgetter[Any], ...]
    """Fields that are a text or None."""
    lists: tuple[attrgetter[Any], ...]
    """Fields that are a list of texts."""
    inside: tuple[tuple[attrgetter[Any], _Form], ...]
    """Fields that are a list of structs."""


class Twin(msgspec.Struct, frozen=True):
    """Reads files as the struct of a model."""

    form: _Form
    decode: Callable[[bytes], Any]

    def read(self, raw: bytes) -> tuple[Any, int] | None:
        """The struct of a file in UTF-8, and how many keys were read; None where it is not what the model asks for.

        Of two equal keys in one object the later is read, and one is counted.
        """
        try:
            value = self.decode(raw)
            case = msgspec.convert(value, self.form.struct)
        except (ValueError, RecursionError):  # all that msgspec finds wrong is a `ValueError`
            return None
        texts: list[str] = []
        _gather(texts, self.form, (case,))
        # An empty text is not among them: the struct takes none where it must not be blank.
        return None if any(map(str.isspace, texts)) else (case, _keys(value))

    def of(self, model: BaseModel) -> Any:
        """The struct with the values of a model."""
        return msgspec.convert(model, self.form.struct, from_attributes=True)


@cache
def twin_of(model: type[BaseModel]) -> Twin:
    """The twin of a model whose files are strict. Raises `TypeError` where a field asks for what no twin can tell."""
    return Twin(_form(model), msgspec.json.Decoder().decode)


def as_model(model: type[BaseModel], case: Any) -> BaseModel:
    """The model with the values of its twin; a model as it is."""
    return case if isinstance(case, BaseModel) else model.model_validate(msgspec.to_builtins(case))


def plain(value: Any) -> Any:
    """A twin as plain values by the names of its fields, as `model_dump` gives those of a model."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(part) for name, part in msgspec.structs.asdict(value).items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def _keys(value: Mapping[str, Any]) -> int:
    """The keys of an object and of the objects in its lists; what lies deeper is not counted."""
    lists = [part for part in value.values() if type(part) is list and part and type(part[0]) is dict]
    return len(value) + sum(map(len, chain.from_iterable(lists)))


def _gather(texts: list[str], form: _Form, items: Sequence[Any]) -> None:
    """Put the texts that must not be blank of structs of one form into the list."""
    for get in form.texts:
        texts += map(get, items)
    for get in form.optional:
        texts += filter(None, map(get, items))
    for get in form.lists:
        texts += chain.from_iterable(map(get, items))
    for get, inner in form.inside:
        for item in items:
            if inside := get(item):
                _gather(texts, inner, inside)


def _form(model: type[BaseModel]) -> _Form:
    config = model.model_config
    if config.get("extra") != "forbid" or not config.get("strict") or config.get("validate_by_name"):
        raise TypeError(f"{model.__name__} takes more than a twin can")
    members: list[tuple[str, Any, Any]] = []
    texts: list[attrgetter[Any]] = []
    optional: list[attrgetter[Any]] = []
    lists: list[attrgetter[Any]] = []
    inside: list[tuple[attrgetter[Any], _Form]] = []
    for name, field in model.model_fields.items():
        get, shape = attrgetter(name), _shape(field.annotation, field.metadata)
        default: dict[str, Any] = {}
        if field.default_factory is not None:
            default = {"default_factory": field.default_factory}
        elif not field.is_required():
            default = {"default": field.default}
        members.append((name, shape.type, msgspec.field(name=field.alias or name, **default)))
        if shape.items is not None:
            inside.append((get, shape.items))
        elif shape.not_blank:
            origin = get_origin(shape.type)
            (lists if origin is list else texts if origin is Annotated else optional).append(get)
    struct = msgspec.defstruct(
        model.__name__,
        members,
        module=model.__module__,
        frozen=True,
        gc=False,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    return _Form(struct, tuple(texts), tuple(optional), tuple(lists), tuple(inside))


class _Shape(msgspec.Struct, frozen=True):
    """What a field of a struct takes."""

    type: Any
    not_blank: bool = False
    """The text, or the texts of the list, must not be blank."""
    items: _Form | None = None
    """Of a list of structs: their form."""


def _shape(annotation: Any, limits: Sequence[Any] = ()) -> _Shape:
    """What a model's field asks for. Raises `TypeError` for what is not known here."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _shape(arguments[0], arguments[1:])
    if annotation is str and limits:
        return _limited_text(limits)
    if annotation is int and len(limits) == 1 and isinstance(limits[0], Ge):
        return _Shape(Annotated[int, msgspec.Meta(ge=cast(int, limits[0].ge))])
    if not limits and (annotation in (str, bool, int) or origin is Literal):
        return _Shape(annotation)
    if not limits and origin in (Union, UnionType) and len(arguments) == 2 and NoneType in arguments:
        inner = _shape(next(part for part in arguments if part is not NoneType))
        if get_origin(inner.type) is not list:
            return _Shape(inner.type | None, inner.not_blank)
    if not limits and origin is list:
        if isinstance(arguments[0], type) and issubclass(arguments[0], BaseModel):
            form = _form(arguments[0])
            return _Shape(GenericAlias(list, (form.struct,)), items=form)
        inner = _shape(arguments[0])
        if get_origin(inner.type) is not list and NoneType not in get_args(inner.type):
            return _Shape(GenericAlias(list, (inner.type,)), inner.not_blank)
    raise TypeError(f"no twin is known for {annotation!r} with {limits!r}")


def _limited_text(limits: Sequence[Any]) -> _Shape:
    asked = [(part.name, getattr(one, part.name)) for one in limits for part in fields(one)]
    match [limit for limit in asked if limit[1] is not None]:
        case [("pattern", str(pattern))] if pattern == NOT_BLANK:
            return _Shape(Annotated[str, msgspec.Meta(min_length=1)], not_blank=True)
        case [("pattern", str(pattern))] if pattern.endswith("$"):
            # A struct's patterns are Python's, in which `$` lets a line end follow; pydantic's does not.
            return _Shape(Annotated[str, msgspec.Meta(pattern=pattern.removesuffix("$") + r"\Z")])
    raise TypeError(f"no twin is known for a text with {limits!r}")
