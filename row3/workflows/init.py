"""`row3 init`: the layout of a row3 project in a folder, with a small suite to start from. Nothing is overwritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from row3.domain.counts import count
from row3.errors import UsageError
from row3.store.cases import GOLDEN, PATTERN
from row3.store.config import FILE
from row3.store.files import disk_faults
from row3.store.project import LOCAL
from row3.store.transaction import commit, writing
from row3.store.tree import WorkTree
from row3.workflows.schemas import schema_files

StarterKind = Literal["extraction", "checks"]
SUITE = "starter"
FOLDERS: Mapping[StarterKind, str] = {"extraction": "starter", "checks": "starter/checks"}
"""Where the package keeps the starter of a kind."""
LINES = {
    ".gitattributes": (
        "metrics-history.json merge=union",
        "recordings/**/*.jsonl merge=union",
        "golden/*/reviewed.jsonl merge=union",
        "lessons/*.jsonl merge=union",
    ),
    ".gitignore": (f"{LOCAL}/",),
}


@dataclass(frozen=True, slots=True)
class Created:
    """What became of one file of the layout."""

    path: str
    """Relative to the project."""
    what: Literal["created", "extended", "kept"]
    """Extended: lines that were missing stand at its end now. Kept: it was there and is as it was."""


def init(folder: Path, kind: StarterKind = "extraction") -> list[Created]:
    """Make the layout of a project, with a starter of the kind where there are no cases or prompts, as one change.
    Raises `UsageError` for a file or a folder in another project, `EnvironmentFault`.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError("this is a file, not a folder", where=str(folder), fix="Name a folder")
    root = folder.resolve()
    _refuse_inside(root)
    with disk_faults(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
    tree = WorkTree(root)
    with writing(root / LOCAL):
        done: list[Created] = []
        new: dict[str, bytes] = {}
        for name, content in _layout(root, kind).items():
            kept = tree.exists(name)
            done.append(Created(name, "kept" if kept else "created"))
            new |= {} if kept else {name: content}
        for name, lines in LINES.items():
            before = tree.read(name) if tree.exists(name) else None
            after = _with_lines(before or b"", lines)
            done.append(Created(name, "created" if before is None else "kept" if after == before else "extended"))
            new |= {} if after == before else {name: after}
        if new:
            commit(root, root / LOCAL, new)
    return done


def _refuse_inside(root: Path) -> None:
    """Raise `UsageError` where a project is above: every command given below it would be about another one."""
    if (root / FILE).exists() or (root / GOLDEN).is_dir():
        return
    above = next((folder for folder in root.parents if (folder / FILE).is_file()), None)
    if above is not None:
        fix = f"Go there for a suite of it (golden/NAME/); a project of its own here begins with an empty {FILE}"
        raise UsageError(f"this folder is inside the row3 project {above}", where=str(root), fix=fix)


def next_steps(created: list[Created]) -> tuple[str, ...]:
    """Return what to do after `init`, a line each."""
    cases = sum(item.path.startswith(f"golden/{SUITE}/") and item.what == "created" for item in created)
    starter = (
        f"golden/{SUITE}/ has {count(cases, 'golden case')} to start from; a suite of your own is a folder beside "
        "it, golden/NAME/",
        f"Once you have one, delete the starter: golden/{SUITE}/, [suites.{SUITE}] in row3.toml, and the prompts that "
        f"your suite does not use; `suite` in row3.toml then names yours (docs/configuration.md)",
    )
    return (
        "row3.toml names the provider and the model; its key comes from the environment, such as OPENAI_API_KEY",
        *(starter if cases else ()),
        "`row3 lint` checks the golden cases and the prompts",
        "`row3 --baseline` runs them and saves the result; commit it with the recordings",
        "`row3 new-version NAME` copies a prompt to its next version; edit that",
        "`row3 --compare` tells what the edit changed, `row3 promote` makes it the current version",
        "`row3 hook install` lets git refuse a change that makes it worse",
    )


def _layout(root: Path, kind: StarterKind) -> dict[str, bytes]:
    """Every file of the layout and its starting content, by its path in the project."""
    data = files("row3").joinpath(FOLDERS[kind])
    changelog = files("row3").joinpath(FOLDERS["extraction"], "CHANGELOG.md")
    layout = {FILE: data.joinpath(FILE).read_bytes(), "CHANGELOG.md": changelog.read_bytes()}
    suites = sorted({path.parent.name for path in root.glob(f"golden/*/{PATTERN}")} - {SUITE})
    prompts = _texts(data.joinpath("prompts"), "prompts", ".md")
    if suites:
        layout[FILE] = layout[FILE].replace(SUITE.encode(), suites[0].encode())
    else:
        layout |= _texts(data.joinpath("golden"), f"golden/{SUITE}", ".json")
    if {f"prompts/{path.name}" for path in root.glob("prompts/*-v*.md")} <= set(prompts):
        layout |= prompts
    else:
        layout[FILE] = layout[FILE].replace(b"\npipeline = ", b"\n# pipeline = ")
    return layout | {name: text.encode() for name, text in schema_files().items()}


def _texts(folder: Traversable, place: str, ending: str) -> dict[str, bytes]:
    found = {f"{place}/{item.name}": item for item in folder.iterdir() if item.name.endswith(ending)}
    return {name: found[name].read_bytes() for name in sorted(found)}


def _with_lines(before: bytes, lines: tuple[str, ...]) -> bytes:
    """The file with the lines that it does not have, at its end, in its own line ends."""
    held = {line.strip().strip("/") for line in before.decode("utf-8", "replace").splitlines()}
    missing = [line for line in lines if line.strip("/") not in held]
    if not missing:
        return before
    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = end if before and not before.endswith(b"\n") else b""
    return before + gap + b"".join(line.encode() + end for line in missing)
