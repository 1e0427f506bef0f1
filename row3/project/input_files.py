"""Files of the project that the input of a golden case names as `{"file": "scans/a.png"}`."""

from __future__ import annotations

import posixpath
from functools import partial
from pathlib import PureWindowsPath
from typing import Any

from row3.domain.files import MAX_FILE_BYTES, FileInput, FilePart, is_media, media_type_of
from row3.domain.requests import digest_text
from row3.errors import EnvironmentFault, InvalidFile, Row3Error
from row3.project.once import once
from row3.project.tree import Tree

FIX = "Name a PNG, JPEG, WebP, GIF or PDF file of the project, by its path from row3.toml"


class InputFiles:
    """The files that inputs name in one tree; each is read when it is first needed, and again when it is sent."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def mark(self, value: Any, where: str, place: str = "input") -> Any:
        """Return an input with a `FileInput` for each file in it; the input itself is data, whatever its keys."""
        if isinstance(value, dict):
            if place != "input" and value.keys() == {"file"} and isinstance(value["file"], str):
                return FileInput(value, place, partial(self._part, value["file"], f"{where} field {place}"))
            return {key: self.mark(part, where, f"{place}.{key}") for key, part in value.items()}
        if isinstance(value, list):
            return [self.mark(part, where, f"{place}.{number}") for number, part in enumerate(value)]
        return value

    def _part(self, path: str, where: str) -> FilePart:
        try:
            return self._file(path)
        except Row3Error as error:
            raise InvalidFile(f"the file `{path}`: {error.what}", where=where, fix=FIX) from None

    @once
    def _file(self, path: str) -> FilePart:
        inside = posixpath.normpath(path)
        if inside.startswith(("/", "..")) or "\\" in path or PureWindowsPath(path).drive or "\0" in path:
            raise InvalidFile("the path is outside the project", where=path)
        raw = self._tree.read(inside, limit=MAX_FILE_BYTES)
        media_type = media_type_of(raw)
        if not (media_type and is_media(path)):
            raise InvalidFile("it is not a picture or PDF that can be sent", where=path)
        digest = digest_text(raw)
        return FilePart(inside, media_type, digest, partial(self._same, inside, digest))

    def _same(self, path: str, digest: str) -> bytes:
        raw = self._tree.read(path, limit=MAX_FILE_BYTES)
        if digest_text(raw) != digest:
            what = "the file was changed while it was being read"
            raise EnvironmentFault(what, where=path, fix="Run the command again")
        return raw
