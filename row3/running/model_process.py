"""What the process of a project's models runs: it loads `module:Model` and returns its JSON schema."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from row3.running.scorer_process import loaded


def answer(question: tuple[str, str]) -> dict[str, Any]:
    """Return the `schema` of `(root, name)`; a `fault` says why there is none."""
    root, name = question
    try:
        model = loaded(root, name)
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            return {"fault": f"`{name}` is not a pydantic model"}
        schema = model.model_json_schema()
        json.dumps(schema, allow_nan=False)
        return {"schema": schema}
    except BaseException as error:  # the user's code may raise anything
        return {"fault": f"`{name}` has no schema: {type(error).__name__}: {error}"}
