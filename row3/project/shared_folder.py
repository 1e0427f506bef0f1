"""A run's folder at a path or URL that its workers share, through fsspec, the extra `row3[scale]`.

It has the cases in parts, `cases-N.parquet`, and, if asked for, their explanations, `details-N.jsonl`; N is the number
of a part's first case. `run.json` is written last, so a folder that has it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, BinaryIO, TypeVar

from row3.errors import EnvironmentFault, MissingExtra, Row3Error, UsageError
from row3.project.parquet import INSTALL, count_records, records_in

CASES, DETAILS, RUN = "cases-{:09}.parquet", "details-{:09}.jsonl", "run.json"
SECRET = re.compile(r"://(.*:.*@|.*\?)")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """The folder of a run; its URL ends with a slash, and that of a local one is an absolute path."""

    url: str

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a file, or replace it. Raises as `open_url`, and `EnvironmentFault`."""
        with self._open(name, "wb") as file:
            file.writelines(pieces)

    def count_cases(self) -> int:
        """Return how many cases the parts have; none if the folder is gone. Raises as `records`."""
        return sum(self._read(CASES, lambda file, where: [count_records(file, where=where)]))

    def records(self) -> Iterator[dict[str, Any]]:
        """Return the case records as JSON objects. Raises as `write`, and `InvalidFile` for a broken part."""
        return self._read(CASES, lambda file, where: records_in(file, where=where))

    def details(self) -> Iterator[bytes]:
        """Return the lines of the explanations. Raises as `write`."""
        return self._read(DETAILS, lambda file, _: (line[:-1] for line in file))

    def remove_unless_whole(self) -> None:
        """Remove the folder, if that is possible and it has no `run.json`."""
        with suppress(Row3Error), _faults(self.url, "removed"):
            files, path = open_url(self.url)
            if not files.exists(f"{path}/{RUN}"):
                files.rm(path, recursive=True)

    def _read(self, pattern: str, read: Callable[[BinaryIO, str], Iterable[Found]]) -> Iterator[Found]:
        """Read the parts in order."""
        files, path = open_url(self.url)
        with _faults(self.url, "read"):
            files.invalidate_cache()  # others have written since
            found = files.ls(path, detail=False) if files.exists(path) else []
        kind = pattern.partition("{")[0]
        for name in sorted(each.rpartition("/")[2] for each in found):
            if name.startswith(kind):
                with self._open(name, "rb") as file:
                    yield from read(file, self.url + name)

    @contextmanager
    def _open(self, name: str, mode: str) -> Iterator[BinaryIO]:
        files, path = open_url(self.url)
        done = "written" if mode == "wb" else "read"
        with _faults(self.url + name, done), files.open(f"{path}/{name}", mode) as file:
            yield file


def make_folder(url: str, run_id: str) -> SharedFolder:
    """Make the folder of a run at a path or URL. Raises as `open_url`, and `EnvironmentFault`."""
    if SECRET.search(url):
        fix = "Leave it out, and set it where fsspec reads it, as in its configuration file"
        raise UsageError("the URL has a password or a query, which saved runs would show", where="--results", fix=fix)
    files, path = open_url(url)
    from fsspec.implementations.local import LocalFileSystem

    if isinstance(files, LocalFileSystem):  # a relative path is another one to a worker with another working folder
        url = path
    folder = SharedFolder(f"{url}{'' if url.endswith('/') else '/'}{run_id}/")
    with _faults(folder.url, "written"):
        files.makedirs(open_url(folder.url)[1], exist_ok=True)
    return folder


def open_url(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it.

    Raises `MissingExtra` if a package is missing, `UsageError` for an unknown scheme, `EnvironmentFault` if it cannot
    be opened.
    """
    for package in ("fsspec", "pyarrow"):
        if find_spec(package) is None:
            raise MissingExtra(f"results on a shared path need {package}", fix=INSTALL)
    from fsspec.core import url_to_fs

    with _faults(url, "opened"):
        try:
            files, path = url_to_fs(url)
        except ImportError as error:
            raise MissingExtra("fsspec lacks a package for this URL", where=url, fix=str(error)) from None
        except ValueError as error:
            fix = "Name a folder, or a URL such as file:///mnt/results"
            raise UsageError(f"fsspec cannot open this URL ({error})", where=url, fix=fix) from None
    return files, path.rstrip("/")


@contextmanager
def _faults(where: str, done: str) -> Iterator[None]:
    try:
        yield
    except Row3Error:
        raise
    except NotImplementedError:  # such as http, which fsspec only reads
        fix = "Name a folder, or a URL such as file:///mnt/results"
        raise UsageError(f"this kind of URL cannot be {done}", where=where, fix=fix) from None
    except Exception as error:  # every file system of fsspec has errors of its own
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        fix = "Check space and permissions there, and that every worker and this command share the path"
        raise EnvironmentFault(f"cannot be {done} ({why})", where=where, fix=fix) from None
