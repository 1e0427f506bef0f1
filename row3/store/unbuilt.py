"""Pydantic models of small files, made and written without building their validators and serializers.

These are built when a model is first used, which takes milliseconds: a tenth of a whole start for what a comparison
reads beside its cases. Here the values are held against the types of the fields, and what is not plainly right is left
to pydantic, as is every complaint. What is taken here, pydantic takes too, and reads the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel, Discriminator, Tag
from pydantic.fields import FieldInfo

Model = TypeVar("Model", bound=BaseModel)
Fields = ParamSpec("Fields")
EXACT = 2**53
"""Whole numbers up to it are numbers with a fraction too, without loss."""


class _UnsureError(Exception):
    """Pydantic has to look."""


def unbuilt(model: type[Model], value: Any) -> Model | None:
    """The value as a model; None where pydantic has to look, or has its validator by now and is faster."""
    if model.__pydantic_complete__:
        return None
    try:
        return _model(model, value)
    except _UnsureError:
        return None


def made(model: Callable[Fields, Model], /, *_: Fields.args, **values: Fields.kwargs) -> Model:
    """As `model(…)` makes it, by the names of its fields; raises `ValidationError`."""
    assert isinstance(model, type)
    found: Model | None = unbuilt(model, values)
    return model(**values) if found is None else found


def plain_values(model: BaseModel) -> dict[str, Any]:
    """What `model_dump` makes of it for JSON, by aliases and without what is None."""
    if not model.__pydantic_complete__:
        try:
            return _plain_fields(model)
        except _UnsureError:
            pass
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _plain_fields(model: BaseModel) -> dict[str, Any]:
    values = ((field.alias or name, getattr(model, name)) for name, field in type(model).model_fields.items())
    return {key: _plain(value) for key, value in values if value is not None}


def _plain(value: Any) -> Any:
    if value is None or type(value) in (str, int, bool):
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is list:
        return [_plain(part) for part in value]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, BaseModel):
        return _plain_fields(value)
    raise _UnsureError


def _model(model: type[Model], value: Any) -> Model:
    if type(value) is not dict or model.model_config.get("extra") != "forbid":
        raise _UnsureError
    given: dict[str, Any] = {}
    names = _names(model)
    for key, part in value.items():
        name = names.get(key)
        if name is None or name in given:
            raise _UnsureError
        field = model.model_fields[name]
        given[name] = _checked(field.annotation, field.metadata, part)
    made = model.model_construct(set(given), **{model.model_fields[name].alias or name: given[name] for name in given})
    if any(field.is_required() and name not in given for name, field in model.model_fields.items()):
        raise _UnsureError
    decorators = model.__pydantic_decorators__
    if decorators.field_validators or decorators.root_validators or decorators.validators:
        raise _UnsureError
    for name, validator in decorators.model_validators.items():
        if validator.info.mode != "after":
            raise _UnsureError
        try:
            made = getattr(made, name)()
        except ValueError:
            raise _UnsureError from None
    return made


@lru_cache(maxsize=64)
def _names(model: type[BaseModel]) -> dict[str, str]:
    """The name of a field by each key that it may have in a file."""
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        if field.validation_alias is not None and field.validation_alias != field.alias:
            raise _UnsureError
        names[field.alias or name] = name
        if model.model_config.get("validate_by_name"):
            names[name] = name
    return names


def _checked(kind: Any, limits: Iterable[Any], value: Any) -> Any:
    """The value as a field of this type and with these limits holds it."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _checked(inner[0], [*_flat(inner[1:]), *limits], value)
    return _limited(_typed(kind, origin, inner, limits, value), limits)


def _flat(metadata: Iterable[Any]) -> list[Any]:
    """Limits that stand in a `Field` among the others."""
    flat: list[Any] = []
    for one in metadata:
        if isinstance(one, FieldInfo):
            if one.alias is not None or not one.is_required():
                raise _UnsureError
            flat += one.metadata
        else:
            flat.append(one)
    return flat


def _typed(kind: Any, origin: Any, inner: tuple[Any, ...], limits: Iterable[Any], value: Any) -> Any:
    if kind is Any:
        return value
    if kind is str and type(value) is str:
        return _whole(value)
    if kind in (int, bool) and type(value) is kind:
        return value
    if kind is float and type(value) is float and math.isfinite(value):
        return value
    if kind is float and type(value) is int and -EXACT <= value <= EXACT:
        return float(value)
    if origin is Literal and type(value) is str and value in inner:
        return value
    if origin in (Union, UnionType):
        return _one_of(inner, limits, value)
    if origin is list and type(value) is list:
        return [_checked(inner[0], (), part) for part in value]
    if origin is dict and type(value) is dict:
        return {_checked(inner[0], (), key): _checked(inner[1], (), part) for key, part in value.items()}
    if isinstance(kind, type) and origin is None and issubclass(kind, BaseModel):
        return _model(kind, value)
    raise _UnsureError


def _whole(text: str) -> str:
    """A text without half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _UnsureError from None
    return text


def _one_of(kinds: Sequence[Any], limits: Iterable[Any], value: Any) -> Any:
    """The value as the one type of a union that takes it."""
    if value is None and NoneType in kinds:
        return None
    kinds = [kind for kind in kinds if kind is not NoneType]
    chosen = [one for one in limits if isinstance(one, Discriminator)]
    if chosen:
        tag = chosen[0].discriminator(value) if callable(chosen[0].discriminator) else None
        kinds = [
            kind for kind in kinds if any(isinstance(one, Tag) and one.tag == tag for one in _flat(get_args(kind)[1:]))
        ]
    taken = []
    for kind in kinds:
        try:
            taken.append(_checked(kind, (), value))
        except _UnsureError:
            continue
    if len(taken) != 1:
        raise _UnsureError
    return taken[0]


def _limited(value: Any, limits: Iterable[Any]) -> Any:
    for limit in limits:
        match limit:
            case Discriminator() | Tag():
                right = True
            case _ if value is None:
                right = True
            case Ge(ge=least):
                right = value >= least
            case Gt(gt=below):
                right = value > below
            case Le(le=most):
                right = value <= most
            case Lt(lt=above):
                right = value < above
            case MinLen(min_length=fewest):
                right = len(value) >= fewest
            case MaxLen(max_length=longest):
                right = len(value) <= longest
            case _:
                right = _fits(value, getattr(limit, "__dict__", {}))
        if not right:
            raise _UnsureError
    return value


def _fits(value: Any, limit: dict[str, Any]) -> bool:
    """Limits that pydantic has words of its own for: finite numbers, which these are, and patterns."""
    if set(limit) == {"allow_inf_nan"}:
        return True
    # The two kinds of patterns, Rust's and Python's, agree on ASCII that ends with no line.
    if set(limit) == {"pattern"} and type(value) is str:
        return value.isascii() and "\n" not in value and re.search(limit["pattern"], value) is not None
    return False
