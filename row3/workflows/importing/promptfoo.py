"""Read a promptfoo configuration (YAML or JSON) and the files it names as cases and prompts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from row3.domain.findings import NotImported
from row3.errors import InvalidFile
from row3.store.documents import parse_json, parse_yaml
from row3.store.files import decode, read_bytes
from row3.workflows.importing.drafts import Draft, Drafts, PromptFiles, UnmappedError, slug, template, without_tags
from row3.workflows.importing.promptfoo_checks import check_of
from row3.workflows.importing.tables import read_csv, read_rows, test_of
from row3.workflows.pipeline.templates import used_names

DATA = (".yaml", ".yml", ".json")
TEXTS = (".txt", ".md", ".j2")
READ = frozenset({"$schema", "description", "prompts", "tests", "defaultTest"})
"""Keys of a configuration that are imported; all others are settings of promptfoo."""
OF_TEST = frozenset({"description", "vars", "assert"})
NAME_WORDS = 5
"""Words of a prompt's text that become its name if it has no label."""


def read_promptfoo(file: Path, prompts: PromptFiles) -> Drafts:
    """Return a configuration's tests as cases; `prompts` collects its prompts and rubrics. Raises `InvalidFile`."""
    reader = _Reader(file, prompts)
    reader.read(_mapping(reader.data(file), str(file)))
    return reader.drafts


def read_table(file: Path, prompts: PromptFiles) -> Drafts:
    """Return the rows of a table as cases; without promptfoo's columns they are inputs only. Raises `InvalidFile`."""
    reader, rows = _Reader(file, prompts), list(read_rows(file))
    if not any(name.startswith("__") for row in rows for name in row.cells):
        return read_csv(file, None, "", None)
    reader.drafts.cases += [reader.case(test_of(row), {}, row.where) for row in rows]
    return reader.drafts


class _Reader:
    def __init__(self, file: Path, prompts: PromptFiles) -> None:
        self._file, self._prompts = file, prompts
        self.drafts = Drafts()

    def read(self, config: dict[str, Any]) -> None:
        for key in [key for key in config if key not in READ]:
            self._leave_out(key, config[key], "row3's settings are in row3.toml")
        for prompt in _listed(config.get("prompts")):
            self._prompt(prompt)
        default, where = config.get("defaultTest") or {}, f"{self._file} field defaultTest"
        default = _mapping(self.data(self._beside(default)) if isinstance(default, str) else default, where)
        for place, test in self._tests(config.get("tests")):
            self.drafts.cases.append(self.case(_mapping(test, place), default, place))
        if not self.drafts.cases:
            raise InvalidFile("the file has no tests", where=str(self._file), fix="Write `tests`, or name another file")

    def data(self, path: Path) -> Any:
        """Return the JSON value of a YAML or JSON file. Raises `InvalidFile`."""
        where = str(path)
        if path.suffix not in DATA:
            raise InvalidFile("row3 reads only YAML and JSON", where=where, fix="Export it as YAML")
        text = self._text(path)
        try:
            return parse_json(text, where=where) if path.suffix == ".json" else _plain(parse_yaml(text, where=where))
        except RecursionError:
            raise InvalidFile("part of the file contains itself", where=where, fix="Remove the alias") from None

    def _tests(self, tests: Any) -> Iterator[tuple[str, Any]]:
        for at, test in enumerate(_listed(tests)):
            if not isinstance(test, str):
                yield f"{self._file} field tests.{at}", test
                continue
            for path in self._files(test):
                if path.suffix == ".csv":
                    yield from ((row.where, test_of(row)) for row in read_rows(path))
                elif path.suffix in DATA:
                    yield from ((f"{path} field {n}", each) for n, each in enumerate(_listed(self.data(path))))
                else:
                    self._leave_out("tests", test, "only CSV, YAML and JSON files can be read")

    def case(self, test: dict[str, Any], default: Mapping[str, Any], where: str) -> Draft:
        """Return a test as a case; its variables override the default's, and the default's assertions come first."""
        draft = Draft(where, {}, str(test.get("description") or ""))
        variables = self._variables(default.get("vars"), draft) | self._variables(test.get("vars"), draft)
        checks: list[dict[str, Any]] = []
        for each in (*_listed(default.get("assert")), *_listed(test.get("assert"))):
            assertion = _mapping(each, where)
            kind, rest = str(assertion.get("type")), {key: assertion[key] for key in assertion if key != "type"}
            try:
                check = check_of(assertion, variables, self._prompts, self._value)
            except UnmappedError as error:
                draft.not_imported.append((kind, rest["value"] if rest.keys() == {"value"} else rest, str(error)))
                continue
            if check not in checks:
                checks.append(check)
            if "provider" in assertion:
                draft.not_imported.append(("provider", assertion["provider"], "[judge] names the model"))
        for key, value in (dict(default) | test).items():
            if key not in OF_TEST:
                draft.not_imported.append((key, value, f"`{key}` of a test has no counterpart"))
        draft.value = {"input": variables, "checks": checks}
        return draft

    def _variables(self, value: Any, draft: Draft) -> dict[str, Any]:
        value = self.data(self._beside(value)) if isinstance(value, str) else value
        found = dict(_mapping(value or {}, draft.where))
        for name, one in found.items():
            if isinstance(one, str) and one.startswith("file://"):
                try:
                    found[name] = self._value(one)
                except UnmappedError as error:
                    draft.not_imported.append(("vars", {name: one}, str(error)))
        return found

    def _prompt(self, prompt: Any) -> None:
        label = ""
        if isinstance(prompt, dict):
            label, prompt = str(prompt.get("label") or ""), prompt.get("raw") or prompt.get("id") or prompt
        if not isinstance(prompt, str):
            self._leave_out("prompts", prompt, "is neither text nor a file name")
        elif not prompt.startswith("file://") and (" " in prompt or Path(prompt).suffix not in (*TEXTS, *DATA)):
            self._write(prompt, label or " ".join(without_tags(prompt).split()[:NAME_WORDS]))
        else:
            for path in self._files(prompt):
                if path.suffix in DATA:
                    self._write(self.data(path), label or path.stem)
                elif path.suffix in TEXTS:
                    parts = re.split(r"^---[ \t]*$", self._text(path), flags=re.MULTILINE)
                    for text in filter(str.strip, parts):
                        self._write(text, label or path.stem)
                else:
                    self._leave_out("prompts", prompt, "is a program, not text")

    def _write(self, prompt: Any, name: str) -> None:
        """Add a prompt: a text, or a list of messages."""
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else _listed(prompt)
        blocks = {
            str(each.get("role")): str(each.get("content")).strip() for each in messages if isinstance(each, dict)
        }
        if len(blocks) != len(messages) or not {"user"} <= blocks.keys() <= {"system", "user"}:
            self._leave_out("prompts", prompt, "a row3 prompt has one user and at most one system message")
            return
        try:
            for role, text in blocks.items():
                if "input" in used_names(template(text)):  # in row3, `input` is the whole input
                    blocks[role] = f"{{% with input = input.input %}}{text}{{% endwith %}}"
        except InvalidFile as error:
            self._leave_out("prompts", prompt, error.what)
            return
        body = "\n\n".join(f"{{% block {role} %}}\n{blocks[role]}\n{{% endblock %}}" for role in sorted(blocks))
        description = f"Imported from {self._file.name}."
        name = self._prompts.add(slug(name) or "prompt", body, output="answer", description=description)
        self.drafts.prompts.append(name)

    def _value(self, address: str) -> Any:
        """Return the value or text of a `file://` address. Raises `UnmappedError` for a program."""
        path = self._beside(address)
        if path.suffix in DATA:
            return self.data(path)
        if path.suffix not in TEXTS:
            raise UnmappedError("is a program, not text")
        return self._text(path).strip()

    def _files(self, address: str) -> list[Path]:
        path = self._beside(address)
        found = sorted(path.parent.glob(path.name)) if "*" in path.name else [path]
        if not found:
            raise InvalidFile(f"no file matches `{address}`", where=str(self._file), fix="Correct the name")
        return found

    def _beside(self, address: str) -> Path:
        return self._file.parent / address.removeprefix("file://")

    def _text(self, path: Path) -> str:
        return decode(read_bytes(path, where=str(path)), where=str(path))

    def _leave_out(self, kind: str, value: Any, why: str) -> None:
        self.drafts.not_imported.append(NotImported("", kind, value, why))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidFile("this must be a mapping of keys to values", where=where, fix="Correct it")
    return value


def _plain(value: Any) -> Any:
    """Return a YAML value as a JSON value: dates and the like become texts, and so does every key."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)
