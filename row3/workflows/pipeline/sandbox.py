"""The environment that prompts are rendered in, and the attempt to render one, here or in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial, wraps
from typing import Any, NamedTuple

from jinja2 import StrictUndefined, Template, TemplateError, pass_context
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range

from row3.domain.judges import FencedList, FencedObject, FencedText
from row3.gate.lessons import ranked

LESSONS = "lessons"
"""Name of the function that a prompt with `lessons: true` may call."""
MAX_RENDERED = 2_000_000
"""Characters of one part of a rendered prompt."""


class Fault(NamedTuple):
    """Why a template cannot be rendered."""

    what: str
    """Follows "the template"."""
    fix: str = "Correct it"


class _Undefined(StrictUndefined):
    """Cannot be printed inside a list either."""

    __slots__ = ()
    __repr__ = Undefined._fail_with_undefined_error


class _Function:
    """What a template can call, and not print: how Python shows a function changes with the process."""

    __slots__ = ("_call",)

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._call(*arguments, **options)

    def __repr__(self) -> str:
        raise SecurityError("prints a function")


class _Environment(ImmutableSandboxedEnvironment):
    def __init__(self) -> None:
        super().__init__(undefined=_Undefined, autoescape=False, keep_trailing_newline=False, finalize=_printed)
        self.globals = {"range": _Function(safe_range)}
        del self.filters["random"]  # the same prompt is the same request
        self.filters = {name: _listed(function) for name, function in self.filters.items()}
        self.filters["tojson"] = _fenced_whole(self.filters["tojson"])

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute as the sandbox allows it; a method as something that cannot be printed."""
        return _callable(super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item, or what `getattr` does."""
        return _callable(super().getitem(obj, argument))


def _callable(value: Any) -> Any:
    return _Function(value) if callable(value) and not isinstance(value, Undefined) else value


@pass_context
def _printed(context: Context, value: Any) -> Any:
    """Return what `{{ … }}` writes. Raises `SecurityError` for all but text, numbers, booleans, and lists and maps."""
    if isinstance(value, Undefined):
        str(value)  # raises, and names it
    if not _is_data(value):
        raise SecurityError(f"prints {'null' if value is None else type(value).__name__}: print text, numbers, lists")
    return value


def _is_data(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_data(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple | range):
        return isinstance(value, range) or all(map(_is_data, value))
    if isinstance(value, Undefined):
        str(value)
    return isinstance(value, str | int | float)


def _listed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter, giving a list where it gives a generator, which Python shows by its address."""

    @wraps(function)
    def listed(*arguments: Any, **options: Any) -> Any:
        value = function(*arguments, **options)
        return list(value) if isinstance(value, Iterator) else value

    return listed


def _fenced_whole(to_json: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter, giving what a judge grades as JSON between its tags."""

    @wraps(to_json)
    def whole(*arguments: Any, **options: Any) -> Any:
        fenced = (each.whole for each in arguments if isinstance(each, FencedText | FencedList | FencedObject))
        return next(fenced, None) or to_json(*arguments, **options)

    return whole


environment = lru_cache(maxsize=1)(_Environment)


@lru_cache(maxsize=64)
def _compiled(body: str) -> Template:
    return environment().from_string(body)


def attempt(body: str, variables: Mapping[str, Any], lessons: Sequence[str] | None) -> tuple[str, str] | Fault:
    """Return the system and the user part, or why there are none."""
    if lessons is not None:
        variables = {**variables, LESSONS: _Function(partial(_lessons, lessons))}
    try:
        template = _compiled(body)
        context = template.new_context(dict(variables))
        return _block(template, "system", context), _block(template, "user", context)
    except UndefinedError as error:
        return Fault(f"uses an undefined name: {error.message}", f"It can use {', '.join(sorted(variables))}")
    except SecurityError as error:
        return Fault(f"is refused: {error.message}", "Write it plainly")
    except RecursionError:
        return Fault("never ends (recursion)", "Remove the recursion")
    except MemoryError:
        return Fault("takes more memory than a prompt may", "Write it plainly")
    except TemplateError as error:
        return Fault(f"cannot be compiled: {error}")
    except Exception as error:  # a template can raise what it likes; each is the author's to fix
        return Fault(f"fails: {type(error).__name__}: {error}")


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
        if size > MAX_RENDERED:
            raise SecurityError(f"builds a text of more than {MAX_RENDERED:,} characters")
        written.append(piece)
    return "".join(written).strip()
