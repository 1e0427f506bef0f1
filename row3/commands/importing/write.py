"""Write drafts as golden files of a suite, all or none; existing files are not overwritten."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from row3.commands.importing.drafts import Draft, Drafts, NotImported, PromptFiles, slug
from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import Model, keys_of
from row3.errors import InvalidFile, UsageError
from row3.kinds import all_kinds, kind_named
from row3.kinds.base import Kind
from row3.project.cases import CASE_SCHEMA_VERSION, ENDING, ID_KEYS, case_id_of, name_of, parse_value
from row3.project.config import NAME, SuiteConfig
from row3.project.documents import check_schema_version, dump_line
from row3.project.places import FILE
from row3.project.project import Project, pick_suite
from row3.project.suites import Suite
from row3.project.transaction import commit, writing
from row3.project.tree import read_text
from row3.providers.guarded import FIX
from row3.running.provider_access import guard_of
from row3.running.rendering.templates import used_names
from row3.running.stages import versions_of

NOT_IMPORTED = "not-imported.jsonl"
DIFFERS = "the project has a different case with this id, which was kept"


@dataclass(frozen=True, slots=True)
class ImportedCases:
    """The result of importing golden cases, or of a dry run."""

    suite: str
    new: tuple[str, ...]
    unchanged: tuple[str, ...]
    written: tuple[str, ...]
    """Other new or changed files."""
    not_imported: tuple[NotImported, ...]
    notes: tuple[str, ...]
    """Remaining steps for the user."""


def target_suite(project: Project, name: str | None, file: Path, kind: str | None) -> tuple[str, Kind]:
    """Return the suite to import into and its kind.

    Without a name it is the project's default suite or, in a project without suites, named after the file. A new suite
    has the given kind, or the default one. Raises `UsageError` if an existing suite has another kind.
    """
    names = project.suite_names()
    if name is None:
        name = pick_suite(project, None).name if names else slug(file.stem) or "imported"
    if not re.fullmatch(NAME, name):
        fix = "Use lower-case letters, digits, _ and -"
        raise UsageError(f"`{name}` cannot name a suite", where="--suite", fix=fix)
    own = project.settings(name, "replay").kind.name if name in names or name in project.config.suites else None
    if own is not None and kind is not None and own != kind:
        fix = "Name another suite with --suite; row3 creates it if new"
        raise UsageError(f"suite `{name}` is of kind {own}, not {kind}", where="--suite", fix=fix)
    return name, kind_named(own or kind or SuiteConfig().kind, where="--kind")


def import_cases(
    project: Project, into: tuple[str, Kind], drafts: Drafts, prompts: PromptFiles, file: Path, *, dry_run: bool
) -> ImportedCases:
    """Write the drafts as golden cases of a suite, which is added to row3.toml if new.

    Existing cases are kept; a draft that differs from its case counts as not imported. Raises `EnvironmentFault`, and
    `InvalidFile` for a draft that is not a valid case; then nothing is written.
    """
    if not drafts.cases:
        fix = "Write one case per row, below a header, or one per line"
        raise InvalidFile("the file has no case", where=str(file), fix=fix)
    suite, kind = into
    folder, files = project.golden(suite), dict(prompts.new)
    new: dict[str, bytes] = {}
    unchanged: list[str] = []
    left_out = list(drafts.not_imported)
    for case_id, draft in _with_ids(drafts.cases, slug(file.stem) or "case"):
        value, content = new_case(project, suite, kind, case_id, draft)
        path = f"{folder}/{case_id}{ENDING}"
        if not project.tree.exists(path):
            new[path] = content
        elif _existing(project, path) == value:
            unchanged.append(case_id)
        else:
            left_out.append(NotImported(case_id, "case", draft.value, DIFFERS))
        left_out += [NotImported(case_id, *each) for each in draft.not_imported]
    settings = project.config.suites.get(suite)
    checked = (settings is not None and settings.checks) or any(
        each.value.get("checks") or each.not_imported for each in drafts.cases
    )
    if kind.check_model is not None and not checked:
        fix = f"Name a column with --expected, or write checks for every case: [[suites.{suite}.checks]] in {FILE}"
        raise UsageError("the cases expect nothing", where=str(file), fix=fix)
    files |= new | _not_imported_file(project, f"{folder}/{NOT_IMPORTED}", left_out)
    notes = []
    if settings is None and suite not in project.suite_names():
        files[FILE] = _with_suite(project, suite, kind.name, drafts.prompts[:1])
    if len(drafts.prompts) > 1 or (settings is not None and not {*drafts.prompts} <= {*settings.pipeline}):
        named = ", ".join(dict.fromkeys(drafts.prompts))
        notes.append(f"promptfoo's prompts are alternatives: name one as `pipeline` of [suites.{suite}]: {named}")
    if settings is None and not (drafts.prompts or project.versions):
        notes.append(f"no prompt was imported: write prompts/{suite}-v1.0.md (see `row3 docs prompts`)")
    if any("semantic" in check for draft in drafts.cases for check in draft.value.get("checks", ())):
        notes.append(f"checks by meaning need a model: [suites.{suite}.matching.semantic] in {FILE}")
    if files and not dry_run:
        with writing(project.root):
            commit(project.root, files)
    ids = tuple(Path(path).name.removesuffix(ENDING) for path in new)
    return ImportedCases(suite, ids, tuple(unchanged), tuple(sorted(files.keys() - new)), tuple(left_out), tuple(notes))


def new_case(project: Project, suite: str, kind: Kind, case_id: str, draft: Draft) -> tuple[dict[str, Any], bytes]:
    """Return the value and the content of a draft's golden file. Raises `InvalidFile` if it is not a valid case."""
    schema = f"schemas/{kind.case_model.schema_name()}.schema.json"
    up = "../" * (project.golden(suite).count("/") + 1)
    value = {
        **({"$schema": up + schema} if project.tree.exists(schema) else {}),
        "schemaVersion": CASE_SCHEMA_VERSION,
        **({} if case_id_of(draft.value) else {_id_key(kind, draft.value): case_id}),
        **draft.value,
    }
    return value, golden_file(value, kind, draft.where)


def _with_ids(drafts: Iterable[Draft], stem: str) -> Iterable[tuple[str, Draft]]:
    """Yield each draft with an id: its own, or made from its name or its number."""
    taken: dict[str, str] = {}
    for number, draft in enumerate(drafts, 1):
        own = case_id_of(draft.value)
        if own in taken:
            what = f"`{own}` is also the id of {taken[own]}"
            raise InvalidFile(what, where=draft.where, fix="Give one of them another id")
        base = own or slug(draft.name) or f"{stem}-{number:03}"
        candidates = itertools.chain([base], (f"{base}-{again}" for again in itertools.count(2)))
        case_id = next(each for each in candidates if each not in taken)
        taken[case_id] = draft.where
        yield case_id, draft


def _id_key(kind: Kind, value: dict[str, Any]) -> str:
    model: type[Model] = kind.case_model
    keys = [key for key in ID_KEYS if key in keys_of(model)]
    return keys[-1] if "documents" in value else keys[0]


def golden_file(value: dict[str, Any], kind: Kind, where: str) -> bytes:
    """Return the content of a golden file. Raises `InvalidFile` if the value is not a valid case."""
    check_schema_version(value, CASE_SCHEMA_VERSION, where=where)
    try:
        convert(value, kind.case_model)
        return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
    except MisfitsError as error:
        what = error.summary()
    except UnicodeEncodeError:
        what = "a text contains a lone surrogate, which is not a character"
    raise InvalidFile(what, where=where, fix="Correct it, and import again")


def _existing(project: Project, path: str) -> Any:
    """Return the value of a golden file; None if it is broken."""
    with suppress(InvalidFile):
        return parse_value(project.tree.read(path), path)
    return None


def _not_imported_file(project: Project, path: str, left_out: Iterable[NotImported]) -> dict[str, bytes]:
    """Return the file that lists what was not imported, now or earlier; empty if it is unchanged."""
    before = read_text(project.tree, path).splitlines() if project.tree.exists(path) else []
    lines = dict.fromkeys([*before, *(dump_line({"schemaVersion": 1, **each._asdict()}) for each in left_out)])
    return {path: "".join(f"{line}\n" for line in lines).encode()} if len(lines) > len(before) else {}


def _with_suite(project: Project, suite: str, kind: str, pipeline: list[str]) -> bytes:
    """Return row3.toml with a table for the suite appended."""
    before = project.tree.read(FILE) if project.tree.exists(FILE) else b""
    gap = "\n" if before and not before.endswith(b"\n") else ""
    table = f'{gap}\n[suites.{suite}]\nkind = "{kind}"\n' + (f"pipeline = {json.dumps(pipeline)}\n" if pipeline else "")
    return before + table.encode()


ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def draft_case(
    project: Project, suite: Suite, name: str, text: str, *, where: str, origin: str | None, topic: str | None
) -> str:
    """Write a draft case for a text; return its path.

    Args:
        name: the id, or a title to make the id from.
        where: what the text was read from, for messages.
        origin: where the text comes from, for readers of the case.
        topic: what the text is about; default: the name.

    Raises `UsageError` for an existing case or a kind whose cases have more than a text, `InvalidFile` without a text.
    """
    if not text.strip():
        raise InvalidFile("the text is empty", where=where, fix="Give the text that the case is about")
    case_id = name if ID.fullmatch(name) else slug(name)
    if not case_id:
        raise UsageError(f"`{name}` cannot become an id", where="row3 cases new", fix="Use letters or digits")
    tree, path = project.tree, f"{suite.golden}/{case_id}{ENDING}"
    names = {name_of(each).casefold(): each for each in project.cases.paths(suite.golden)}
    if existing := path if tree.exists(path) else names.get(name_of(path).casefold()):
        raise UsageError(f"the case `{case_id}` exists already", where=existing, fix="Choose another name")
    if secret := guard_of(project).found(f"{text}\n{topic}"):
        raise UsageError(f"the text contains the value of {secret}, so it is not saved", where=where, fix=FIX)
    topic = topic or re.sub(r"[-_]+", " ", name).strip()
    value = {
        "draft": True,
        **({} if origin is None else {"origin": origin}),
        **_blank(project, suite, topic, text.strip()),
    }
    content = new_case(project, suite.name, suite.kind, case_id, Draft(where, value))[1]
    with writing(project.root):
        commit(project.root, {path: content})
    return path


def _blank(project: Project, suite: Suite, topic: str, text: str) -> dict[str, Any]:
    """Return a case without expectations. Raises `UsageError` for a kind whose cases have more than a text."""
    kind = suite.kind
    first = versions_of(project, suite, suite.pipeline[0], ())[-1:] if suite.pipeline else []
    names = sorted({name for prompt in first for name in used_names(prompt)} - {"input"})
    if blank := kind.case_model.blank(topic, text, names):
        return dict(blank)
    others = [name for name, each in all_kinds().items() if each.case_model.blank(topic, text, names)]
    fix = f"Name a suite of kind {', '.join(others[:-1])} or {others[-1]} with --suite"
    raise UsageError(f"a case of kind {kind.name} needs more than a text", where="row3 cases new", fix=fix)
