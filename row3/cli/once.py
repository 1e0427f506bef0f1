"""Options that may be given once."""

from __future__ import annotations

from functools import partial
from typing import Any

import click


class Once(click.Option):
    """An option with one value, and declared as `multiple`: else click would silently take the last of two."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """The value, None where none was given; raises `UsageError` where several were."""
        values = super().process_value(ctx, value)
        if values and len(values) > 1:
            given = ", ".join(f"`{each}`" for each in values)
            raise click.UsageError(f"{self.opts[0]} is given {len(values)} times: {given}; leave out all but one")
        return values[0] if values else None


once = partial(click.option, cls=Once, multiple=True)
"""`click.option` for one of these."""
