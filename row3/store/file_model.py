"""What the models of the files that row3 writes and reads again have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Number = Annotated[float, Field(allow_inf_nan=False)]


class FileModel(BaseModel):
    """A part of such a file: no unknown keys, camelCase in the file, a validator only for whoever needs one."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        defer_build=True,
    )
