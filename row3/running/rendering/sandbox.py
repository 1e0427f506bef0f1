"""The sandbox that renders prompts, in this process or in one with limits on time and memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from functools import cached_property, lru_cache, partial, wraps
from typing import Any, NamedTuple

from jinja2 import StrictUndefined, Template, TemplateError, nodes, pass_context
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range

from row3.domain.files import FileInput
from row3.domain.judges import FencedList, FencedObject, FencedText
from row3.domain.requests import ROLES, Role, digest_json, order_fault
from row3.gate.lessons import ranked
from row3.running.worker import Worker

LESSONS = "lessons"
"""Function that a prompt with `lessons: true` may call."""
BLOCKS: tuple[Role, ...] = ("system", "user")
"""Blocks of a template without messages."""
WRITTEN = "{% message %}"
"""Key of the rendered messages among a template's variables; no template can name it."""
MAX_RENDERED = 2_000_000
"""Most characters of one block of a rendered prompt, or of all its messages."""
DEADLINE_S = 2.0
"""Seconds to render one template in the process."""


class Fault(NamedTuple):
    """Why a template cannot be rendered."""

    what: str
    """Continues the sentence "the template …"."""
    fix: str = "Correct it"


class _Undefined(StrictUndefined):
    """An undefined name, which fails inside a printed list too."""

    __slots__ = ()
    __repr__ = Undefined._fail_with_undefined_error


class _Function:
    """A function that templates can call but not print, since its address differs from run to run."""

    __slots__ = ("_call",)

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        receiver = getattr(self._call, "__self__", "")
        return _made(self._call(*arguments, **options), (receiver, *arguments, *options.values()))

    def __repr__(self) -> str:
        raise SecurityError("prints a function")


class _UnusableError(Exception):
    """The messages that a template writes cannot be sent; its argument is the `Fault`."""


class Rendered(NamedTuple):
    """A message as a template wrote it."""

    role: Role
    text: str
    files: Sequence[tuple[str, int]]
    """Field of each file, and its place in the text, in characters."""


class _Written:
    """The messages of a template so far, and the files that it has printed."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._messages: list[Rendered] = []
        self._printed: list[str] = []
        self._open, self._size = False, 0

    @cached_property
    def _mark(self) -> str:
        """A mark that no text of the variables contains, and that is the same in every run."""
        return f"\0{int(digest_json(self._variables)[:24], 16)}"

    def file(self, given: FileInput) -> str:
        """Return the mark of a file in a text."""
        self._printed.append(given.place)
        return f"{self._mark}:{len(self._printed) - 1}\0"

    def message(self, role: Role, written: str) -> Rendered:
        """Return a message, with its files out of its text."""
        if not self._printed:
            return Rendered(role, written.strip(), [])
        text, *marked = re.split(rf"{self._mark}:(\d+)\0", written.strip())
        files = []
        for number, after in zip(marked[::2], marked[1::2], strict=True):
            files.append((self._printed[int(number)], len(text)))
            text += after
        return Rendered(role, text, files)

    def add(self, role: Any, text: Callable[[], str]) -> None:
        """Add a message unless it is empty. Raises `_UnusableError`."""
        if role not in ROLES:
            raise _UnusableError(Fault(f"has a message of the role {role!r}", f"Use {', '.join(ROLES)}"))
        if self._open:
            raise _UnusableError(Fault("has a message inside a message", "Write one after the other"))
        self._open = True
        written = str(text())
        self._open = False
        self._size += len(written)
        if self._size > MAX_RENDERED:
            raise SecurityError(f"builds more than {MAX_RENDERED:,} characters")
        message = self.message(role, written)
        if message.text or message.files:
            self._messages.append(message)

    def messages(self) -> Sequence[Rendered]:
        """Return the messages. Raises `_UnusableError` if no model takes them."""
        if fault := order_fault(message.role for message in self._messages):
            fix = 'Write `{% message "user" %}…{% endmessage %}` before any message of the assistant'
            raise _UnusableError(Fault(f"has {fault}", fix))
        return self._messages


class MessageTag(Extension):
    """The tag `{% message "user" %}…{% endmessage %}`, whose text is a message of the request."""

    tags = {"message"}

    def parse(self, parser: Parser) -> nodes.Node:
        """Return the tag as a call of `add`."""
        line = next(parser.stream).lineno
        role = parser.parse_expression()
        unquoted = isinstance(role, nodes.Name) and role.name in ROLES
        if unquoted or (isinstance(role, nodes.Const) and role.value not in ROLES):
            parser.fail(f"the role of a message is one of {', '.join(map(json.dumps, ROLES))}, in quotes", line)
        body = parser.parse_statements(("name:endmessage",), drop_needle=True)
        return nodes.CallBlock(self.call_method("add", [role], lineno=line), [], [], body).set_lineno(line)

    @pass_context
    def add(self, context: Context, role: Any, caller: Macro) -> str:
        """Add the message; the tag itself prints nothing."""
        context[WRITTEN].add(role, caller)
        return ""


class _Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"%"})

    def __init__(self) -> None:
        plain: dict[str, Any] = {"autoescape": False, "keep_trailing_newline": False}
        super().__init__(undefined=_Undefined, finalize=_printed, extensions=[MessageTag], **plain)
        self.globals = {"range": _Function(safe_range)}
        del self.filters["random"]  # the same prompt is the same request
        to_json = _fenced_whole(self.filters["tojson"])  # may get null, so it is not checked
        self.filters = {name: _checked(function) for name, function in self.filters.items()} | {"tojson": to_json}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Return the syntax tree with `a ~ b` as `[a, b] | join`."""
        tree = super()._parse(source, name, filename)
        for parent in reversed([tree, *tree.find_all(nodes.Node)]):
            for field, value in parent.iter_fields():
                each = [_joined(part) for part in value] if isinstance(value, list) else _joined(value)
                setattr(parent, field, each)
        return tree

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return `left % right`, checked, as it may be text."""
        return _made(super().call_binop(context, operator, left, right), (left, right))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute if the sandbox allows it; methods cannot be printed."""
        return _callable(super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item, or an attribute as `getattr` does."""
        return _callable(super().getitem(obj, argument))


def _callable(value: Any) -> Any:
    return _Function(value) if callable(value) and not isinstance(value, Undefined) else value


@pass_context
def _printed(context: Context, value: Any) -> Any:
    """Return what `{{ … }}` prints. Raises `SecurityError` for all but text, numbers, booleans, lists and maps."""
    if isinstance(value, FileInput):
        return context[WRITTEN].file(value)
    _check(value)
    return value


def _check(value: Any) -> None:
    if isinstance(value, Undefined):
        str(value)  # raises an error that names it
    elif isinstance(value, FileInput):
        raise SecurityError(f"prints the file `{value.place}` inside a text, list or map: print it alone")
    elif isinstance(value, dict | list | tuple):
        for part in (*value, *value.values()) if isinstance(value, dict) else value:
            _check(part)
    elif not isinstance(value, str | int | float | range):
        what = "null" if value is None else "a function" if isinstance(value, _Function) else type(value).__name__
        raise SecurityError(f"prints {what}: print text, numbers, lists")


def _joined(value: Any) -> Any:
    if not isinstance(value, nodes.Concat):
        return value
    parts = nodes.List(value.nodes, lineno=value.lineno)
    return nodes.Filter(parts, "join", [], [], None, None, lineno=value.lineno)


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter, refusing to turn unprintable values into text."""
    first = 0 if getattr(function, "jinja_pass_arg", None) is None else 1

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        return _made(function(*arguments, **options), (*arguments[first:], *options.values()))

    return checked


def _made(value: Any, given: Sequence[Any]) -> Any:
    """Return the result of a filter or method; generators and views become lists, as Python prints only their address.

    Raises as `_printed` if a new text was made from something unprintable.
    """
    if isinstance(value, Iterator | KeysView | ValuesView | ItemsView):
        return list(value)
    if isinstance(value, str) and value and not any(value is part for each in given for part in _parts(each)):
        for each in given:
            _check(each)
    return value


def _parts(value: Any) -> list[Any]:
    """Return a value and what it holds."""
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [value, *held]


def _fenced_whole(to_json: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter, which puts what a judge grades as JSON between tags."""

    @wraps(to_json)
    def whole(*arguments: Any, **options: Any) -> Any:
        fenced = (str(each) for each in arguments if isinstance(each, FencedText | FencedList | FencedObject))
        return next(fenced, None) or to_json(*arguments, **options)

    return whole


environment = lru_cache(maxsize=1)(_Environment)


@lru_cache(maxsize=64)
def _compiled(body: str) -> Template:
    return environment().from_string(body)


def attempt(body: str, variables: Mapping[str, Any], lessons: Sequence[str] | None) -> Sequence[Rendered] | Fault:
    """Return a template's messages, or its fault."""
    written = _Written(variables)
    if lessons is not None:
        variables = {**variables, LESSONS: _Function(partial(_lessons, lessons))}
    try:
        template = _compiled(body)
        context = template.new_context({**variables, WRITTEN: written})
        if template.blocks:
            blocks = [written.message(role, _text(template.blocks.get(role), context)) for role in BLOCKS]
            return blocks if blocks[0].text or blocks[0].files else blocks[1:]
        _text(template.root_render_func, context)
        return written.messages()
    except _UnusableError as error:
        fault: Fault = error.args[0]
        return fault
    except UndefinedError as error:
        return Fault(f"uses an undefined name: {error.message}", f"It can use {', '.join(sorted(variables))}")
    except SecurityError as error:
        return Fault(f"is refused: {error.message}", "Simplify it")
    except RecursionError:
        return Fault("never ends (recursion)", "Remove the recursion")
    except MemoryError:
        return Fault("takes more memory than a prompt may", "Simplify it")
    except TemplateError as error:
        return Fault(f"cannot be compiled: {error.message}")
    except Exception as error:  # a template can raise anything
        return Fault(f"fails: {type(error).__name__}: {error}")


def _lessons(texts: Sequence[str], query: str, limit: int = 3) -> str:
    """Return the text of `lessons()` in a template: the kept lessons that fit a query, best first."""
    found = [texts[place] for place in ranked(texts, query)[:limit]]
    return "\n\n".join(["Past failure patterns:", *found]) if found else ""


def _text(write: Callable[[Context], Iterator[str]] | None, context: Context) -> str:
    written: list[str] = []
    size = 0
    for piece in () if write is None else write(context):
        size += len(piece)
        if size > MAX_RENDERED:
            raise SecurityError(f"builds more than {MAX_RENDERED:,} characters")
        written.append(piece)
    return "".join(written).strip()


_RENDERER = Worker(__name__, "renders templates", isolated=True)


def attempt_isolated(
    body: str, variables: Mapping[str, Any], lessons: Sequence[str] | None
) -> Sequence[Rendered] | Fault:
    """Return what `attempt` does, as a process with limits renders it."""
    try:
        failed, found = _RENDERER.ask((body, dict(variables), lessons), DEADLINE_S)
        if failed:
            return Fault(*map(str, found))
        return [
            Rendered(ROLES[ROLES.index(role)], str(text), [(str(place), int(at)) for place, at in files])
            for role, text, files in found
        ]
    except (TimeoutError, EOFError, TypeError, ValueError):
        return Fault(f"takes longer than {DEADLINE_S:g} s, or more memory than a prompt may", "Simplify it")


def answer(question: tuple[str, Mapping[str, Any], Sequence[str] | None]) -> tuple[bool, Sequence[Rendered] | Fault]:
    """Return, in the process, whether a template failed, and its fault or its messages."""
    found = attempt(*question)
    return isinstance(found, Fault), found
