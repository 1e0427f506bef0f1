"""Files that the input of a case names, and that a prompt sends as parts of a message."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

MAX_FILE_BYTES = 20_000_000
"""Most bytes of a file that is sent."""
ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".pdf")
PDF = "application/pdf"
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"%PDF-": PDF,
}


def media_type_of(raw: bytes) -> str:
    """Return the media type that the first bytes of a file give; empty for a type that is not sent."""
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp"
    return next((media for start, media in _BEGINNINGS.items() if raw.startswith(start)), "")


def is_media(path: str) -> bool:
    """Return whether a file's name ends like those of files that can be sent."""
    return path.lower().endswith(ENDINGS)


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file in a message."""

    path: str
    """Relative to the project."""
    media_type: str
    digest: str
    """SHA-256 of the bytes."""
    read: Callable[[], bytes] = field(compare=False, repr=False)
    """Returns the bytes; they are not kept, as a run has many requests."""
    at: int = 0
    """Number of characters of the message's text that come before the file."""

    @property
    def url(self) -> str:
        """The bytes as a `data:` address."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.read()).decode()}"

    def as_json(self) -> dict[str, str]:
        """Return what a recording keeps of it, which is never the bytes."""
        return {"path": self.path, "mediaType": self.media_type, "digest": self.digest}


class FileInput(dict[str, Any]):
    """The value `{"file": path}` of a case's input; a template that prints it sends the file."""

    def __init__(self, value: Mapping[str, Any], place: str, open_: Callable[[], FilePart] | None = None) -> None:
        """Take the value, its field in the case, and what finds the file, which a template's process cannot."""
        super().__init__(value)
        self.place, self._open = place, open_

    def __reduce__(self) -> tuple[type[FileInput], tuple[dict[str, Any], str]]:
        return FileInput, (dict(self), self.place)

    def part(self, at: int = 0) -> FilePart:
        """Return the file at a place of a message's text. Raises `InvalidFile` if it cannot be sent."""
        assert self._open is not None
        return replace(self._open(), at=at)


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a JSON value, outermost first."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(part)


def file_inputs(value: Any) -> Iterator[FileInput]:
    """Yield the files in a case's variables, in order."""
    return (each for each in objects_in(value) if isinstance(each, FileInput))
