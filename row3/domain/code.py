"""Code and addresses named by settings and cases, and their differences between two trees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import basename, normpath, splitext
from typing import NamedTuple

IMPORTABLE = (".py", ".pyc", ".so", ".pyd", "/")
"""Endings of files that Python imports. The project's folder comes first on `sys.path`, so any of them may run."""
SCRIPTS = (".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".R", ".jl")
"""Endings of scripts that load others: if a command names one, any file with that ending may run."""
DATA = (
    *("prompts/", "golden/", "recordings/", "baselines/", "charts/", "schemas/"),
    *("row3.toml", "metrics-history.json", "CHANGELOG.md"),
)
"""Files and folders that row3 itself reads and writes; the code they name is found in the settings of both trees."""
PART = re.compile(r"[^\s=;&|()'\"]+")
SHOWN, SEVERAL = 200, 5
"""Characters per setting, and number of settings or files, shown in a message."""


class Code(NamedTuple):
    """A program, a function or an address, and the place that names it."""

    place: str
    """The setting, or the check of a case."""
    value: str
    """The place's whole text; equal values name the same code."""
    words: tuple[str, ...] = ()
    """Words of a command line, including the program."""
    python: bool = False
    """Whether it is a function, which imports modules."""

    def runs(self, path: str) -> bool:
        """Return whether a project file, or a submodule with its slash, is part of the code or may be imported."""
        if self.python and path.startswith("../"):
            return False
        named = [normpath(part) for word in self.words for part in PART.findall(word)]
        whole = f"/{path}"
        if any(whole.endswith(f"/{each}") or each.endswith(whole) or path.startswith(f"{each}/") for each in named):
            return True
        endings = {splitext(each)[1] for each in named}
        scripts = endings.intersection(SCRIPTS)
        imports = self.python or ".py" in endings or basename((*self.words, "")[0]).startswith("python")
        if not imports and not scripts:  # `make`, `npm run` or an installed program may read anything
            return bool(self.words) and not path.startswith(DATA)
        return path.endswith((*(IMPORTABLE if imports else ()), *scripts))


def defines(function: str, path: str) -> bool:
    """Return whether a project file belongs to the module or package of a function, `module:function`."""
    module = function.partition(":")[0].replace(".", "/")
    return path.startswith((f"{module}.py", f"{module}/"))


def differences(head: Iterable[Code], base: Iterable[Code], changed: Iterable[str]) -> Iterator[str]:
    """Yield a phrase for each piece of the head's code that the base lacks: settings, then changed files."""
    head, known = list(head), list(base)
    for each in dict.fromkeys(code for code in head if code.value not in {other.value for other in known}):
        same_place = dict.fromkeys(f"`{other.value[:SHOWN]}`" for other in known if other.place == each.place)
        at_base = ", ".join(list(same_place)[:SEVERAL]) or "missing"
        yield f"{each.place} is `{each.value[:SHOWN]}` here and {at_base} in the base"
    files = [path for path in changed if any(each.runs(path) for each in head)]
    if files:
        more = f" and {len(files) - SEVERAL} more files" if len(files) > SEVERAL else ""
        yield f"{', '.join(files[:SEVERAL])}{more} {'differs' if len(files) == 1 else 'differ'}"
