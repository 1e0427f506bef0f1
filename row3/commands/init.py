"""`row3 init`: create a project with a small suite to start from. Nothing is overwritten."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Literal

from row3.commands.answer_schemas import model_schema
from row3.domain.prompts import PromptRef, Version
from row3.domain.words import count
from row3.errors import UsageError
from row3.kinds import DEFAULT
from row3.project.answer_schemas import named_schema, read_schema, schema_text
from row3.project.cases import PATTERN
from row3.project.files import disk_faults
from row3.project.places import FILE, GOLDEN, LOCAL
from row3.project.prompts import FOLDER
from row3.project.transaction import commit, writing
from row3.project.tree import WorkTree

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
    """One file of the layout, and what `row3 init` did."""

    path: str
    """Relative to the project."""
    what: Literal["created", "extended", "kept"]
    """Extended: missing lines were appended. Kept: the file existed and is unchanged."""


def init(folder: Path, starter: str = DEFAULT, schema: str | None = None) -> list[Created]:
    """Create a project's files as one change, with a starter if it has no settings, cases or prompts.

    `starter` is the folder in the package that is copied: two cases of a kind, no cases (`empty`), or `example`.
    With a `schema`, as in a prompt's front matter, the prompt asks for it, and one case has still to be written.

    Raises `InvalidFile` for a schema; `UsageError` for a file or a folder inside another project, `EnvironmentFault`.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError("this is a file, not a folder", where=str(folder), fix="Name a folder")
    root = folder.resolve()
    _refuse_inside(root)
    with disk_faults(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
    tree = WorkTree(root)
    with writing(root):
        done: list[Created] = []
        new: dict[str, bytes] = {}
        layout = _layout(tree, starter) if schema is None else _schema_layout(tree, starter, schema)
        for name, content in layout.items():
            kept = tree.exists(name) and bool(tree.read(name).strip())
            done.append(Created(name, "kept" if kept else "created"))
            new |= {} if kept else {name: content}
        for name, lines in LINES.items():
            before = tree.read(name) if tree.exists(name) else None
            after = _with_lines(before or b"", lines)
            done.append(Created(name, "created" if before is None else "kept" if after == before else "extended"))
            new |= {} if after == before else {name: after}
        if new:
            commit(root, new)
    return done


def _refuse_inside(root: Path) -> None:
    """Raise `UsageError` inside another project: commands there would use a different row3.toml."""
    if (root / FILE).exists() or (root / GOLDEN).is_dir():
        return
    above = next((folder for folder in root.parents if (folder / FILE).is_file()), None)
    if above is not None:
        fix = f"Add a suite to that project (golden/NAME/), or create an empty {FILE} here to start a separate one"
        raise UsageError(f"this folder is inside the row3 project {above}", where=str(root), fix=fix)


def next_steps(created: list[Created]) -> tuple[str, ...]:
    """Return the next steps to show after `init`, one a line."""
    new = {item.path for item in created if item.what == "created"}
    cases = sorted(path for path in new if path.startswith("golden/"))
    prompts = any(path.startswith("prompts/") for path in new)
    first = (
        f"{Path(cases[0]).parent}/ has {count(len(cases), 'golden case')} to start from: replace them with yours"
        if cases
        else "golden/NAME/*.gold.json are the golden cases of suite NAME (`row3 docs golden-cases`, `row3 docs checks`)"
    )
    asked = (
        'row3.toml names the model; set its key in OPENAI_API_KEY. Without a key: use `preset = "local"` and '
        "`pip install 'row3[local]'`, or import answers made elsewhere with `row3 recordings import FILE`"
    )
    return (
        first,
        *([asked] if prompts or not cases else ()),
        "`row3 lint` checks cases, prompts and settings; `row3 --dry-run` shows the requests and what they would cost",
        "`row3 --baseline` runs the cases and saves the result; commit it with the recordings",
        *(["`row3 new-version NAME` copies a prompt to its next version; edit that"] if prompts or not cases else ()),
        "`row3 --compare` shows what an edit changed; `row3 hook install` makes git refuse regressions",
    )


def _layout(tree: WorkTree, starter: str) -> dict[str, bytes]:
    """Return the content of each file to create, by its path in the project."""
    layout = _files(files("row3").joinpath("starter", starter))
    patterns = (f"golden/*/{PATTERN}", "prompts/*-v*.md")
    own = {path.relative_to(tree.root).as_posix() for pattern in patterns for path in tree.root.glob(pattern)}
    if not (tree.exists(FILE) and tree.read(FILE).strip()) and own <= set(layout):
        return layout
    return {FILE: files("row3").joinpath("starter", "empty", FILE).read_bytes()}


def _schema_layout(tree: WorkTree, starter: str, schema: str) -> dict[str, bytes]:
    """Return the files of a starter whose prompt asks for answers by a schema, with the schema of a model."""
    last = re.split("[:/]", schema.removesuffix(".json"))[-1]
    words = re.findall("[a-z0-9]+", re.sub("(?<=[a-z0-9])(?=[A-Z])", " ", last).lower())
    ref = PromptRef("-".join(words) or "answer", Version(1, 0))
    file, model = named_schema(schema, ref, where="--schema")
    layout, where = _layout(tree, starter), "--schema"
    if not any(name.startswith(f"{FOLDER}/") for name in layout):
        fix = f'Write `schema: "{schema}"` into the front matter of a prompt'
        raise UsageError("this folder is a project already", where=where, fix=fix)
    own = model_schema(tree.root, model, where=where) if model else read_schema(tree, file, "", where=where).schema
    config = layout[FILE].decode().replace("classify-ticket", ref.name)
    config = config.replace('required_fields = ["category", "reply"]', "no_placeholder = true")
    keys = ", ".join(own.get("properties", ()))
    start = _files(files("row3").joinpath("starter", "schema"))
    prompt = Template(start["prompt.md"].decode())
    text = prompt.substitute(name=ref.name, schema=schema, keys=f" with {keys}" if keys else "")
    return {
        FILE: config.encode(),
        f"{FOLDER}/{ref}.md": text.encode(),
        f"{GOLDEN}/checks/first.gold.json": start["first.gold.json"],
        **({file: schema_text(own).encode()} if model else {}),
    }


def _files(folder: Traversable, place: str = "") -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for item in sorted(folder.iterdir(), key=lambda each: each.name):
        if item.is_dir():
            found |= _files(item, f"{place}{item.name}/") if item.name != "__pycache__" else {}
        else:
            found[f"{place}{item.name}"] = item.read_bytes()
    return found


def _with_lines(before: bytes, lines: tuple[str, ...]) -> bytes:
    """Return the file with its missing lines appended, in its own line ends."""
    known = {line.strip().strip("/") for line in before.decode("utf-8", "replace").splitlines()}
    missing = [line for line in lines if line.strip("/") not in known]
    if not missing:
        return before
    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = end if before and not before.endswith(b"\n") else b""
    return before + gap + b"".join(line.encode() + end for line in missing)
