"""Rendering a prompt: Jinja2, sandboxed, strict about undefined names, bounded in time and size.

A prompt is text from a pull request, so it is treated as hostile: it cannot reach Python's
internals, read files, loop for ever or fill the memory.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial, wraps
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from row3.domain.judges import FencedList, FencedObject, FencedText
from row3.domain.prompts import Prompt
from row3.errors import InvalidFile
from row3.gate.lessons import ranked

BLOCKS = ("system", "user")
LESSONS = "lessons"
"""Name of the function that a prompt with `lessons: true` may call."""
MAX_RENDERED = 2_000_000
"""Characters of one part of a rendered prompt."""
DEADLINE_S = 2.0
MAX_RANGE = 10_000
MAX_REPEAT = 100_000
"""Longest text that `*` or a filter such as `center` may build in one step."""


GROWING = frozenset(
    {"center", "expandtabs", "format", "format_map", "join", "ljust", "replace", "rjust", "translate", "zfill"}
)
REPLACE_ARGUMENTS = 3


class _TooSlowError(Exception):
    pass


class _Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"*", "**", "%"})

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Beside what the sandbox refuses: the methods of a text that can build a huge one."""
        if isinstance(obj, (str, bytes)) and attr in GROWING:
            return False
        return bool(super().is_safe_attribute(obj, attr, value))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuse the operations that build something huge in one step."""
        if operator == "**":
            raise SecurityError("`**` is not available in a prompt")
        sizes = [len(side) for side in (left, right) if isinstance(side, (str, list, tuple))]
        counts = [side for side in (left, right) if isinstance(side, int)]
        if operator == "*" and sizes and counts and sizes[0] * max(counts) > MAX_REPEAT:
            raise SecurityError(f"repeats a text to more than {MAX_REPEAT:,} characters")
        if operator == "%" and isinstance(left, str):
            raise SecurityError("`%` formatting is not available in a prompt")
        return super().call_binop(context, operator, left, right)


def _bounded(length: int) -> None:
    """Raise `SecurityError` for a text that is longer than a prompt may be."""
    if length > MAX_RENDERED:
        raise SecurityError(f"builds a text of more than {MAX_RENDERED:,} characters")


def _bounded_range(*arguments: int) -> range:
    values = range(*arguments)
    if len(values) > MAX_RANGE:
        raise SecurityError(f"range of more than {MAX_RANGE:,} steps")
    return values


@lru_cache(maxsize=1)
def _environment() -> _Environment:
    environment = _Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False)
    environment.globals = {"range": _bounded_range}
    for name in ("center", "format", "indent", "wordwrap", "xmlattr", "urlize", "random", "pprint", "filesizeformat"):
        environment.filters.pop(name, None)
    for name in ("replace", "join", "upper", "lower", "title", "capitalize", "trim", "string", "escape", "e", "tojson"):
        environment.filters[name] = _bounded_filter(name, environment.filters[name])
    environment.filters["tojson"] = _fenced_whole(environment.filters["tojson"])
    return environment


def _fenced_whole(to_json: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter, giving what a judge grades as JSON between its tags."""

    @wraps(to_json)
    def whole(*arguments: Any, **options: Any) -> Any:
        fenced = (each.whole for each in arguments if isinstance(each, FencedText | FencedList | FencedObject))
        return next(fenced, None) or to_json(*arguments, **options)

    return whole


def _bounded_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter, refusing arguments and results that grow beyond what a prompt needs."""

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        given = [argument for argument in arguments if isinstance(argument, str)]
        if name == "replace" and len(given) >= REPLACE_ARGUMENTS:
            text, old, new = given[-3:]
            _bounded((text.count(old) if old else len(text) + 1) * len(new))
        if name == "join":
            between = len(given[-1]) if given else len(str(options.get("d", "")))
            parts = next((list(each) for each in arguments if isinstance(each, (list, tuple, range))), [])
            _bounded(sum(len(str(part)) for part in parts) + between * len(parts))
        value = function(*arguments, **options)
        _bounded(len(value) if isinstance(value, str) else 0)
        return value

    return checked


def _joined(parts: Iterable[Any]) -> str:
    """What `a ~ b` does in a template, with an end."""
    texts = [str(part) for part in parts]
    _bounded(sum(map(len, texts)))
    return "".join(texts)


@lru_cache(maxsize=64)
def _compiled(body: str, path: str) -> Template:
    try:
        template = _environment().from_string(body)
    except TemplateSyntaxError as error:
        what = f"the template is wrong in line {error.lineno} of its body: {error.message}"
        raise InvalidFile(what, where=path, fix="Correct it") from None
    except (TemplateError, RecursionError, MemoryError, SyntaxError, ValueError) as error:
        raise InvalidFile(f"the template cannot be compiled: {error}", where=path, fix="Correct it") from None
    for block in template.blocks.values():
        # Compiled templates take what `~` calls from their module's globals; theirs has no limit.
        block.__globals__["str_join"] = block.__globals__["markup_join"] = _joined
    unknown = set(template.blocks) - set(BLOCKS)
    if "user" not in template.blocks or unknown:
        what = f"unknown block `{sorted(unknown)[0]}`" if unknown else "the body has no block `user`"
        fix = "Write `{% block system %}…{% endblock %}` and `{% block user %}…{% endblock %}`"
        raise InvalidFile(what, where=path, fix=fix)
    return template


def unsent_lines(prompt: Prompt) -> list[int]:
    """Lines of the prompt's file with text outside the blocks, which is never sent. Raises as `render`."""
    _compiled(prompt.body, prompt.path)
    above = prompt.text.count("\n", 0, max(prompt.text.rfind(prompt.body), 0))
    found = []
    for node in _environment().parse(prompt.body).body:
        for part in node.nodes if isinstance(node, nodes.Output) else ():
            text = part.data if isinstance(part, nodes.TemplateData) else "x"
            if text.strip():
                found.append(above + part.lineno + text[: len(text) - len(text.lstrip())].count("\n"))
    return found


def used_names(prompt: Prompt) -> set[str]:
    """Return the names of the variables that a prompt uses. Raises as `render`."""
    from jinja2.meta import find_undeclared_variables

    _compiled(prompt.body, prompt.path)
    environment = _environment()
    known = environment.globals.keys() | (set() if prompt.lessons is None else {LESSONS})
    return find_undeclared_variables(environment.parse(prompt.body)) - known


def render(prompt: Prompt, variables: Mapping[str, Any]) -> tuple[str, str]:
    """System and user part of a prompt. Raises `InvalidFile` for a template that is wrong, uses an undefined name,
    reaches for internals, takes longer than `DEADLINE_S` or writes more than `MAX_RENDERED` characters.
    """
    template = _compiled(prompt.body, prompt.path)
    fix = "Correct it"
    if prompt.lessons is not None:
        variables = {**variables, LESSONS: partial(_lessons, prompt.lessons)}
    try:
        with _deadline():
            context = template.new_context(dict(variables))
            return _block(template, "system", context), _block(template, "user", context)
    except UndefinedError as error:
        what, fix = f"uses an undefined name: {error.message}", f"It can use {', '.join(sorted(variables))}"
    except SecurityError as error:
        what, fix = f"is refused: {error.message}", "Write it plainly"
    except _TooSlowError:
        what, fix = f"takes longer than {DEADLINE_S:g} s", "Remove the endless or nested loop"
    except (RecursionError, MemoryError):
        what, fix = "never ends (recursion)", "Remove the recursion"
    except Exception as error:  # a template can raise what it likes; each is the author's to fix
        what = f"fails: {type(error).__name__}: {error}"
    raise InvalidFile(f"the template {what}", where=prompt.path, fix=fix)


def _lessons(texts: Sequence[str], query: str, limit: int = 3) -> str:
    """What `lessons()` gives in a template: the kept lessons that fit a query, best first; empty for none."""
    found = [texts[place] for place in ranked(texts, query)[:limit]]
    return "\n\n".join(["Past failure patterns:", *found]) if found else ""


def _block(template: Template, name: str, context: Context) -> str:
    block: Callable[[Any], Iterator[str]] | None = template.blocks.get(name)
    written: list[str] = []
    size = 0
    for piece in () if block is None else block(context):
        size += len(piece)
        _bounded(size)
        written.append(piece)
    return "".join(written).strip()


@contextlib.contextmanager
def _deadline() -> Iterator[None]:
    """Interrupt the template when its time is up, where the system can (POSIX, main thread)."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(*_: object) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
