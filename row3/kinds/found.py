"""What a system finds and a prompt goes on from."""

from __future__ import annotations

from typing import Any

from row3.kinds.answers import Parsed, Unusable, plain_text, read_json
from row3.kinds.outputs import NO_FIELDS, Fields, Output


class Found(Output):
    """What a system found for a question, which a prompt then answers or ranks."""

    value: Any

    @classmethod
    def read(cls, text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Take JSON, or else the text without reasoning."""
        plain = plain_text(text)
        if isinstance(plain, Unusable):
            return plain
        found = read_json(text)
        return Parsed(cls(value=plain.value if isinstance(found, Unusable) else found.value))

    def context(self, name: str) -> dict[str, Any]:
        """Return what was found."""
        return {"found": self.value}
