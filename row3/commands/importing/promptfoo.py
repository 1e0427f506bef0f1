"""Read a promptfoo configuration (YAML or JSON) and the files it names as cases and prompts."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from row3.commands.importing.drafts import (
    Draft,
    Drafts,
    NotImported,
    PromptFiles,
    UnmappedError,
    slug,
    template,
    without_tags,
)
from row3.commands.importing.promptfoo_checks import check_of
from row3.commands.importing.tables import read_csv, read_rows, test_of
from row3.domain.files import is_media
from row3.domain.misfits import MisfitsError, convert
from row3.domain.requests import ROLES, order_fault
from row3.errors import InvalidFile
from row3.project.documents import dump_line, parse_json, parse_yaml
from row3.project.files import MAX_TEXT_BYTES, decode, read_bytes, read_faults
from row3.project.model_parameters import ModelParameters
from row3.running.rendering.templates import body_of, used_names

DATA = (".yaml", ".yml", ".json")
TEXTS = (".txt", ".md", ".j2", "")
READ = frozenset({"$schema", "description", "prompts", "tests", "defaultTest"})
"""Keys of a configuration that are imported; all others are settings of promptfoo."""
OF_TEST = frozenset({"description", "vars", "assert"})
CASE_SIZE = 512
"""What a case counts beside its text, in bytes: it becomes a file."""
CHAT = re.compile(r"""\s*(?:-\s+role:|(?:\[\s*\{(?!\{)|\{\s*")(?=.*"role"\s*:))""", re.DOTALL)
"""Beginning of messages as YAML or JSON, which a template may have made unreadable."""
DUMPED = re.compile(r"(?<=[:,\[ ])\{\{-?\s*([\w.]+)\s*\|\s*dump\s*-?\}\}")
"""A variable that a chat prompt writes as JSON, in the place of a text."""
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
    for row in rows:
        reader.add(test_of(row), {}, row.where)
    return reader.drafts


class _Reader:
    def __init__(self, file: Path, prompts: PromptFiles) -> None:
        self._file, self._prompts = file, prompts
        self._left = MAX_TEXT_BYTES
        self.drafts = Drafts()

    def read(self, config: dict[str, Any]) -> None:
        for key in [key for key in config if key not in READ]:
            self._leave_out(key, config[key], "row3's settings are in row3.toml")
        for prompt in _listed(config.get("prompts")):
            self._prompt(prompt)
        default, where = config.get("defaultTest") or {}, f"{self._file} field defaultTest"
        default = _mapping(self.data(self._beside(default)) if isinstance(default, str) else default, where)
        for place, test in self._tests(config.get("tests")):
            self.add(_mapping(test, place), default, place)
        if not self.drafts.cases:
            raise InvalidFile("the file has no tests", where=str(self._file), fix="Write `tests`, or name another file")

    def data(self, path: Path) -> Any:
        """Return the JSON value of a YAML or JSON file. Raises `InvalidFile`."""
        where = str(path)
        if path.suffix not in DATA:
            raise InvalidFile("row3 reads only YAML and JSON", where=where, fix="Export it as YAML")
        return (parse_json if path.suffix == ".json" else parse_yaml)(self._text(path), where=where)

    def _tests(self, tests: Any) -> Iterator[tuple[str, Any]]:
        for at, test in enumerate(_listed(tests)):
            if not isinstance(test, str):
                yield f"{self._file} field tests.{at}", test
                continue
            for path in self._files(test):
                if path.suffix == ".csv":
                    yield from ((row.where, test_of(row)) for row in read_rows(self._own(path)))
                elif path.suffix in DATA:
                    yield from ((f"{path} field {n}", each) for n, each in enumerate(_listed(self.data(path))))
                else:
                    self._leave_out("tests", test, "only CSV, YAML and JSON files can be read")

    def add(self, test: dict[str, Any], default: Mapping[str, Any], where: str) -> None:
        """Add a test as one case for each combination of the texts that its variables list.

        Its variables override the default's, and the default's assertions come first. Raises `InvalidFile`.
        """
        both = (default, test)
        options = {key: value for part in both for key, value in _mapping(part.get("options") or {}, where).items()}
        whole = bool(options.pop("disableVarExpansion", False))  # a list is one value
        left_out = [
            (key, value, f"`{key}` of a test has no counterpart")
            for key, value in {**default, **test, "options": options}.items()
            if key not in OF_TEST and (options or key != "options")
        ]
        asserts = [_mapping(each, where) for part in both for each in _listed(part.get("assert"))]
        unread: list[tuple[str, Any, str]] = []
        variables = self._variables(default.get("vars"), where) | self._variables(test.get("vars"), where)
        values = {name: self._values(name, value, unread, whole=whole) for name, value in variables.items()}
        for combined in itertools.product(*values.values()):
            draft = Draft(where, {}, str(test.get("description") or ""), [*unread])
            given = dict(zip(values, combined, strict=True))
            draft.value = {"input": given, "checks": self._checks(asserts, given, draft)}
            draft.not_imported += left_out
            self._spend(CASE_SIZE + len(dump_line(draft.value)), where)
            self.drafts.cases.append(draft)

    def _checks(self, asserts: list[dict[str, Any]], given: dict[str, Any], draft: Draft) -> list[dict[str, Any]]:
        checks: list[dict[str, Any]] = []
        for assertion in asserts:
            kind, rest = str(assertion.get("type")), {key: assertion[key] for key in assertion if key != "type"}
            try:
                check = check_of(assertion, given, self._prompts, lambda address: self._load(self._beside(address)))
            except UnmappedError as error:
                draft.not_imported.append((kind, rest["value"] if rest.keys() == {"value"} else rest, str(error)))
                continue
            if check not in checks:
                checks.append(check)
            if "provider" in assertion:
                draft.not_imported.append(("provider", assertion["provider"], "[judge] names the model"))
        return checks

    def _variables(self, value: Any, where: str) -> dict[str, Any]:
        return _mapping((self.data(self._beside(value)) if isinstance(value, str) else value) or {}, where)

    def _values(self, name: str, value: Any, unread: list[tuple[str, Any, str]], *, whole: bool) -> list[Any]:
        """Return the values of a variable: several for a list that begins with a text, or for several files."""
        several = isinstance(value, list) and value and isinstance(value[0], str) and not whole
        found: list[Any] = []
        for one in value if several else [value]:
            is_file = isinstance(one, str) and one.startswith("file://")
            try:
                found += [self._load(path) for path in self._files(one)] if is_file else [one]
            except UnmappedError as error:
                unread.append(("vars", {name: one}, str(error)))
                found.append(one)
        return found

    def _prompt(self, prompt: Any) -> None:
        label = ""
        if isinstance(prompt, dict):
            label = str(prompt.get("label") or (prompt.get("raw") and prompt.get("id")) or "")
            prompt = prompt.get("raw") or prompt.get("id") or prompt
        chat = isinstance(prompt, list) or (isinstance(prompt, dict) and "messages" in prompt)
        if not (chat or isinstance(prompt, str)):
            self._leave_out("prompts", prompt, "is neither text nor a file name")
        elif chat or not re.match(r"file://|\S+\.(txt|md|j2|ya?ml|json)\Z", prompt):
            self._write(prompt, label)
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
        """Add a prompt: a text, which may be messages as JSON or YAML, or a list of messages."""
        try:
            value = _chat(prompt) if isinstance(prompt, str) else prompt
            parameters: dict[str, Any] = {}
            if isinstance(value, dict) and "messages" in value:
                parameters = {key: own for key, own in value.items() if key != "messages" and _is_parameter(key, own)}
                for key in value.keys() - parameters.keys() - {"messages"}:
                    self._leave_out(key, value[key], "a prompt's front matter cannot set it")
                value = value["messages"]
            messages = [("user", value.strip())] if isinstance(value, str) else _messages(_listed(value))
        except UnmappedError as error:
            self._leave_out("prompts", prompt, str(error))
            return
        asked = next(text for role, text in messages if role == "user")
        name = name or " ".join(without_tags(asked).split()[:NAME_WORDS])
        try:
            for place, (role, text) in enumerate(messages):
                if "input" in used_names(template(text)):  # in row3, `input` is the whole input
                    messages[place] = role, f"{{% with input = input.input %}}{text}{{% endwith %}}"
        except InvalidFile as error:
            self._leave_out("prompts", prompt, error.what)
            return
        body = body_of(messages)
        description = f"Imported from {self._file.name}."
        name = self._prompts.add(slug(name) or "prompt", body, parameters, output="answer", description=description)
        self.drafts.prompts.append(name)

    def _load(self, path: Path) -> Any:
        """Return the value or text of a file. Raises `UnmappedError` for any other."""
        if path.suffix in DATA:
            return self.data(path)
        if path.suffix not in TEXTS:
            media = 'is a picture or PDF: write {"file": PATH} with its path in the project'
            raise UnmappedError(media if is_media(path.name) else "is not a text file")
        return self._text(path).strip()

    def _files(self, address: str) -> list[Path]:
        path, folder = self._beside(address), self._file.parent
        if "*" not in address:
            return [path]
        found: list[Path] = []
        with suppress(ValueError):  # not a pattern
            found = sorted(folder.glob(os.path.relpath(self._inside(path), folder)))
        if not found:
            raise InvalidFile(f"no file matches `{address}`", where=str(self._file), fix="Correct the name")
        return found

    def _beside(self, address: str) -> Path:
        return self._file.parent / address.removeprefix("file://")

    def _inside(self, path: Path) -> Path:
        """Return the path if it leads into the configuration's folder; else raise `InvalidFile`."""
        with suppress(ValueError):  # a NUL
            if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._file.parent)):
                return path
        fix = "Copy the file into that folder, or remove the reference"
        raise InvalidFile("this is outside the configuration's folder", where=str(path), fix=fix)

    def _own(self, path: Path) -> Path:
        """Return the path of a file to read; raises `InvalidFile` for one outside the folder, or for too much."""
        try:
            with read_faults(str(path)):
                self._spend((path if path == self._file else self._inside(path)).stat().st_size, str(path))
        except InvalidFile as error:
            raise InvalidFile(error.what, where=error.where, fix=f"{error.fix} in {self._file}") from None
        return path

    def _spend(self, size: int, where: str) -> None:
        self._left -= size
        if self._left < 0:
            what = f"the cases and the files that they name have more than {MAX_TEXT_BYTES:,} bytes"
            raise InvalidFile(what, where=where, fix="Split the configuration, or shorten its lists of values")

    def _text(self, path: Path) -> str:
        return decode(read_bytes(self._own(path), where=str(path)), where=str(path))

    def _leave_out(self, kind: str, value: Any, why: str) -> None:
        self.drafts.not_imported.append(NotImported("", kind, value, why))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidFile("this must be a mapping of keys to values", where=where, fix="Correct it")
    return value


def _messages(messages: list[Any]) -> list[tuple[str, str]]:
    """Return role and text of each message. Raises `UnmappedError` that names what a row3 prompt has not."""
    for each in messages:
        if not isinstance(each, dict) or "role" not in each:
            raise UnmappedError("is neither a text nor a list of messages")
        if others := sorted(key for key in each.keys() - {"role", "content"} if each[key] not in (None, "", [], {})):
            raise UnmappedError(f"`{others[0]}` of a message has no counterpart")
    roles = ["system" if each["role"] == "developer" else str(each["role"]) for each in messages]
    found = [(role, _text_of(each.get("content"))) for role, each in zip(roles, messages, strict=True)]
    if other := next((role for role, _ in found if role not in ROLES), ""):
        raise UnmappedError(f"a message has the role {other}; row3 knows {', '.join(ROLES)}")
    if fault := order_fault(role for role, text in found if text):
        raise UnmappedError(f"has {fault}")
    return found


def _is_parameter(key: str, value: Any) -> bool:
    """Return whether a prompt's front matter can set this part of a request."""
    if key == "model":
        return isinstance(value, str)
    try:
        return getattr(convert({key: value}, ModelParameters), key) is not None
    except MisfitsError:
        return False


def _text_of(content: Any) -> str:
    """Return the text of a message, which may come in parts."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else _listed(content)
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if not parts or len(texts) < len(parts):
        types = ", ".join(str(part.get("type")) for part in parts if isinstance(part, dict))
        raise UnmappedError(f"the content of a message is not text ({types or 'nothing'})")
    return "\n".join(texts).strip()


def _chat(prompt: str) -> Any:
    """Return the value of a text that is JSON, or messages as YAML; else the text itself."""
    for text in (prompt, DUMPED.sub(r'"{{ \1 }}"', prompt)):
        with suppress(InvalidFile):
            value = parse_json(text, where="prompts")
            return value if isinstance(value, list | dict) else prompt
    with suppress(InvalidFile):
        value = parse_yaml(prompt, where="prompts") if "role" in prompt else None
        listed = value.get("messages", [value]) if isinstance(value, dict) else _listed(value)
        if all(isinstance(each, dict) and "role" in each for each in _listed(listed)) and listed:
            return value
    if CHAT.match(prompt):
        why = "looks like messages, but is neither JSON nor YAML before its variables are filled in"
        raise UnmappedError(f"{why}: write a prompt with {{% message %}}")
    return prompt
