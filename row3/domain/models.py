"""The base of every model of a file or reply."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Self, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema, to_jsonable_python


class Model(BaseModel):
    """A part of a file that people write: frozen, and an unknown key is an error.

    Attribute docstrings describe the fields in schemas (`use_attribute_docstrings` would read them at each start).
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        defer_build=True,
    )

    def plain(self) -> dict[str, Any]:
        """Return the value as JSON, by the file's keys, without fields that have their defaults."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with these fields changed; they are not validated again."""
        return self.model_copy(update=changes)


class CamelModel(Model):
    """As `Model`, with camelCase keys in the file."""

    model_config = ConfigDict(alias_generator=to_camel)


class Reply(Model):
    """A part of another program's reply: unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore")


PART = ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)
"""The `__pydantic_config__` of a frozen dataclass that is a part of a file; there it is an object.

It cannot be strict (that would refuse the object), so numbers in it have strict types.
"""


@dataclass(frozen=True, slots=True)
class Must:
    """What a field must be, for the message about any value that does not fit."""

    text: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _described(handler(source), self.text)


def _described(schema: CoreSchema, must: str) -> CoreSchema:
    return core_schema.custom_error_schema(
        schema,
        custom_error_type="worded",
        custom_error_message="should be {must}",
        custom_error_context={"must": must},
    )


@dataclass(frozen=True, slots=True)
class Worded:
    """A rule for texts that match a pattern as a whole; messages say that they should be `must`.

    The pattern means the same in Python and in a JSON Schema (ECMA 262), which has no `\\Z`.
    """

    pattern: str
    must: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        pattern = rf"^(?:{self.pattern})$(?!\n)"
        text = core_schema.str_schema(pattern=pattern, strict=True, regex_engine="python-re")
        return _described(text, self.must)


class NotBlank:
    """A rule for texts that are not blank, in Rust, as a case has hundreds of them."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        # Rust's white space lacks these four control characters, which Python's has.
        text = core_schema.str_schema(pattern=r"[^\s\x1c-\x1f]", strict=True, regex_engine="rust-regex")
        return _described(text, "a text")

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(schema) | {"pattern": r"\S"}


def _day(value: Any) -> Any:
    """Return the date of a text in the form YYYY-MM-DD; TOML and YAML bring dates of their own."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return value
    return value


Day = Annotated[date, BeforeValidator(_day)]
"""YYYY-MM-DD in the file."""
Text = Annotated[str, NotBlank()]
"""A text that is not blank."""


def as_json(value: Any) -> Any:
    """Return a value as plain JSON values: models as `Model.plain`, dataclasses as objects with camelCase keys."""
    if isinstance(value, Model):
        return value.plain()
    if is_dataclass(value) and not isinstance(value, type):
        return {key: as_json(getattr(value, name)) for name, key in _camel_keys(type(value))}
    if isinstance(value, Mapping):
        return {str(key): as_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(part) for part in value]
    return to_jsonable_python(value)


@cache
def _camel_keys(kind: type[Any]) -> list[tuple[str, str]]:
    return [(field.name, to_camel(field.name)) for field in fields(kind)]


def keys_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return a model's fields by their key in files."""
    return {str(field.validation_alias or name): field for name, field in model.model_fields.items()}


def choices(annotation: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the type itself, without annotations and None."""
    if get_origin(annotation) is Annotated:
        return choices(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(inner for part in get_args(annotation) if part is not NoneType for inner in choices(part))
    return (annotation,)


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the models of a union, or the model itself."""
    return [one for one in choices(annotation) if isinstance(one, type) and issubclass(one, BaseModel)]


def item_in(annotation: Any) -> Any:
    """Return the item type of an array type; None for any other type."""
    return next((get_args(one)[0] for one in choices(annotation) if get_origin(one) in (list, Sequence)), None)
