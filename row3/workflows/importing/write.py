"""Drafts become golden files of a suite, all of them or none; nothing that is there is overwritten."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from row3.domain.findings import ImportedCases, NotImported
from row3.domain.structs import MisfitsError, convert, keys_of
from row3.errors import InvalidFile, UsageError
from row3.kinds import kind_named
from row3.kinds.base import Kind
from row3.providers.guarded import FIX
from row3.store.cases import CASE_SCHEMA_VERSION, ENDING, ID_KEYS, case_id_of, golden_files, name_of, parse_value
from row3.store.config import FILE, NAME, SuiteConfig
from row3.store.documents import check_schema_version, dump_line
from row3.store.project import Project
from row3.store.suites import Suite, make_suite, pick_suite
from row3.store.transaction import commit, writing
from row3.store.tree import read_text
from row3.workflows.importing.drafts import Draft, Drafts, PromptFiles, slug
from row3.workflows.pipeline.providers import guard_of
from row3.workflows.pipeline.stages import versions_of
from row3.workflows.pipeline.templates import used_names

NOT_IMPORTED = "not-imported.jsonl"
DIFFERS = "the project has a case of this id that differs; it is as it was"


def suite_of(project: Project, name: str | None, file: Path, kind: str | None) -> tuple[str, Kind]:
    """Return the suite to import into and its kind: the given one, the project's own, or in a project without any the
    file's name; a new one is of the given kind, or of the usual one.

    Raises `UsageError` for a suite of another kind.
    """
    names = project.suite_names()
    if name is None:
        name = pick_suite(project, None).name if names else slug(file.stem) or "imported"
    if not re.fullmatch(NAME, name):
        raise UsageError(f"`{name}` cannot name a suite", where="--suite", fix="Use small letters, digits, _ and -")
    own = make_suite(project.config, name).kind.name if name in names or name in project.config.suites else None
    if own is not None and kind is not None and own != kind:
        fix = "Name another suite with --suite; a new one is made"
        raise UsageError(f"suite `{name}` is of kind {own}, not {kind}", where="--suite", fix=fix)
    return name, kind_named(own or kind or SuiteConfig().kind, where="--kind")


def import_cases(
    project: Project, into: tuple[str, Kind], drafts: Drafts, prompts: PromptFiles, file: Path, *, dry_run: bool
) -> ImportedCases:
    """Write the drafts as golden cases of a suite of a kind, which is added to row3.toml where it is new.

    An equal case is left as it is; so is one that differs, and its draft counts as not imported.

    Raises `InvalidFile` for a draft that is no case, `EnvironmentFault`; then nothing has changed.
    """
    if not drafts.cases:
        raise InvalidFile("the file has no case", where=str(file), fix="Write one a row, below a header, or one a line")
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
        elif _held(project, path) == value:
            unchanged.append(case_id)
        else:
            left_out.append(NotImported(case_id, "case", draft.value, DIFFERS))
        left_out += [NotImported(case_id, *each) for each in draft.not_imported]
    settings = project.config.suites.get(suite)
    held = settings is not None and settings.checks
    if (
        kind.name == "checks"
        and not held
        and not any(each.value["checks"] or each.not_imported for each in drafts.cases)
    ):
        fix = f"Name a column with --expected, or write checks for every case: [[suites.{suite}.checks]] in {FILE}"
        raise UsageError("nothing says what is expected", where=str(file), fix=fix)
    files |= new | _left_out_file(project, f"{folder}/{NOT_IMPORTED}", left_out)
    notes = []
    if settings is None and suite not in project.suite_names():
        files[FILE] = _with_suite(project, suite, kind.name, drafts.prompts[:1])
    if len(drafts.prompts) > 1 or (settings is not None and not {*drafts.prompts} <= {*settings.pipeline}):
        named = ", ".join(dict.fromkeys(drafts.prompts))
        notes.append(f"prompts of promptfoo are alternatives: `pipeline` of [suites.{suite}] names one of {named}")
    needs = {key for draft in drafts.cases for check in draft.value.get("checks", ()) for key in check}
    if "semantic" in needs:
        notes.append(f"checks by meaning need a model: [suites.{suite}.matching.semantic] in {FILE}")
    if files and not dry_run:
        with writing(project.local):
            commit(project.root, project.local, files)
    ids = tuple(Path(path).name.removesuffix(ENDING) for path in new)
    return ImportedCases(suite, ids, tuple(unchanged), tuple(sorted(files.keys() - new)), tuple(left_out), tuple(notes))


def new_case(project: Project, suite: str, kind: Kind, case_id: str, draft: Draft) -> tuple[dict[str, Any], bytes]:
    """Return a draft as the value and the content of its golden file. Raises `InvalidFile` where it is no case."""
    schema = f"schemas/{kind.case_schema}.schema.json"
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
        base = own or slug(draft.name) or f"{stem}-{number:03}"
        case_id, again = base, 1
        while case_id in taken:
            if own:
                what = f"the id `{own}` is also that of {taken[case_id]}"
                raise InvalidFile(what, where=draft.where, fix="Give one of them another")
            again += 1
            case_id = f"{base}-{again}"
        taken[case_id] = draft.where
        yield case_id, draft


def _id_key(kind: Kind, value: dict[str, Any]) -> str:
    model: type[Struct] = kind.case_model
    keys = [key for key in ID_KEYS if key in keys_of(model)]
    return keys[-1] if "documents" in value else keys[0]


def golden_file(value: dict[str, Any], kind: Kind, where: str) -> bytes:
    """Return the content of a golden file. Raises `InvalidFile` where the value is no case."""
    check_schema_version(value, CASE_SCHEMA_VERSION, where=where)
    try:
        convert(value, kind.case_model)
        return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
    except MisfitsError as error:
        what = error.summary()
    except UnicodeEncodeError:
        what = "a text holds half a surrogate pair, which is no character"
    raise InvalidFile(what, where=where, fix="Correct it, and import again")


def _held(project: Project, path: str) -> Any:
    with suppress(InvalidFile):
        return parse_value(project.tree.read(path), path)
    return None


def _left_out_file(project: Project, path: str, left_out: Iterable[NotImported]) -> dict[str, bytes]:
    """Return the file of what was not imported, with what it has from earlier imports; nothing if it is unchanged."""
    before = read_text(project.tree, path).splitlines() if project.tree.exists(path) else []
    lines = dict.fromkeys([*before, *(dump_line({"schemaVersion": 1, **each._asdict()}) for each in left_out)])
    return {path: "".join(f"{line}\n" for line in lines).encode()} if len(lines) > len(before) else {}


def _with_suite(project: Project, suite: str, kind: str, pipeline: list[str]) -> bytes:
    before = project.tree.read(FILE) if project.tree.exists(FILE) else b""
    gap = "\n" if before and not before.endswith(b"\n") else ""
    table = f'{gap}\n[suites.{suite}]\nkind = "{kind}"\n' + (f"pipeline = {json.dumps(pipeline)}\n" if pipeline else "")
    return before + table.encode()


ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def draft_case(
    project: Project,
    suite: Suite,
    name: str,
    text: str,
    *,
    where: str,
    origin: str | None = None,
    topic: str | None = None,
) -> str:
    """Write a draft of a name and a text; return its path.

    Args:
        name: an id, or what the case is about, from which the id is made.
        where: what the text was read from, for messages.
        origin: where the text comes from, for readers of the case.
        topic: what the text is about; default: the name.

    Raises `UsageError` for a kind without a text and for a case that is there, `InvalidFile` for an empty text.
    """
    if not text.strip():
        raise InvalidFile("there is no text", where=where, fix="Give the text that the case is about")
    case_id = name if ID.fullmatch(name) else slug(name)
    if not case_id:
        raise UsageError(f"no id can be made of `{name}`", where="row3 cases new", fix="Use letters or digits")
    tree, path = project.tree, f"{suite.golden}/{case_id}{ENDING}"
    there = {name_of(each).casefold(): each for each in golden_files(tree, suite.golden)}
    if held := path if tree.exists(path) else there.get(name_of(path).casefold()):
        raise UsageError(f"the case `{case_id}` is there already", where=held, fix="Choose another name")
    if held := guard_of(project).found(f"{text}\n{topic}"):
        raise UsageError(f"the text holds the value of {held}, so it is not kept", where=where, fix=FIX)
    topic = topic or re.sub(r"[-_]+", " ", name).strip()
    value = {
        "draft": True,
        **({} if origin is None else {"origin": origin}),
        **_blank(project, suite, topic, text.strip()),
    }
    content = new_case(project, suite.name, suite.kind, case_id, Draft(where, value))[1]
    with writing(project.local):
        commit(project.root, project.local, {path: content})
    return path


def _blank(project: Project, suite: Suite, topic: str, text: str) -> dict[str, Any]:
    """Return the keys of a case without expectations; raises `UsageError` for a kind whose cases have no text."""
    kind = suite.kind
    if kind.name == "extraction":
        lists = ("expectedConcepts", "expectedRelationships", "forbiddenConcepts")
        return {"topic": topic, "sourceText": text, **{key: [] for key in lists}}
    if kind.name in ("events", "entities"):  # which may share a folder
        return {"title": topic, "document": text, "expected_events": [], "expected_entities": []}
    if kind.name == "checks":
        first = versions_of(project, suite, suite.pipeline[0], ())[-1:] if suite.pipeline else []
        names = {name for prompt in first for name in used_names(prompt)} - {"input"}
        return {"input": dict.fromkeys(sorted(names), text) or text, "checks": []}
    fix = "Name a suite of kind extraction, events, entities or checks with --suite"
    raise UsageError(f"a case of kind {kind.name} is made of more than a text", where="row3 cases new", fix=fix)
