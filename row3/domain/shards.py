"""Shards: contiguous parts of a suite's cases, which several processes or machines run and `row3 merge` joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import Field

from row3.domain.models import CamelModel

Item = TypeVar("Item")


class Shard(CamelModel):
    """Part `number` of `of` parts of a suite."""

    number: Annotated[int, Field(ge=1)]
    of: Annotated[int, Field(ge=1)]
    cases: str = ""
    """Digest of the paths of the suite's cases; empty until the shard runs."""
    version: str = ""
    """Version of row3 that ran it."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def part(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return this shard's items: the parts in order are all items, and their sizes differ by at most one."""
        return items[len(items) * (self.number - 1) // self.of : len(items) * self.number // self.of]


def parse_shard(text: str) -> Shard | None:
    """Return the shard of a text like `3/8`; None for anything else."""
    number, _, of = text.partition("/")
    if not all(each.isascii() and each.isdigit() and len(each) < 6 for each in (number, of)):
        return None
    return Shard(number=int(number), of=int(of)) if 1 <= int(number) <= int(of) else None
