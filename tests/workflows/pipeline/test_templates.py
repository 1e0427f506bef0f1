"""Rendering a prompt, hostile ones included."""

from __future__ import annotations

from dataclasses import replace

import pytest

from row3.domain.prompts import Prompt, PromptRef, Version
from row3.errors import InvalidFile
from row3.workflows.pipeline.templates import MAX_RENDERED, render, used_names


def prompt(user: str, system: str = "") -> Prompt:
    body = f"{{% block system %}}{system}{{% endblock %}}{{% block user %}}{user}{{% endblock %}}"
    ref = PromptRef("x", Version(1, 0))
    return Prompt(ref, "", "concepts", {}, body, "", body, "prompts/x-v1.0.md")


def test_both_parts_are_rendered_and_stripped() -> None:
    assert render(prompt(" a {{ b }} \n", " you "), {"b": "<&>"}) == ("you", "a <&>")


def test_what_the_text_says_is_no_template() -> None:
    assert render(prompt("{{ b }}"), {"b": "{{ 7 * 7 }}{% block x %}"}) == ("", "{{ 7 * 7 }}{% block x %}")


@pytest.mark.parametrize(
    ("user", "says"),
    [
        ("{{ a }}", "undefined name: 'a'"),
        ("{{ b.c }}", "undefined name"),
        ("{{ b.__class__ }}", "refused"),
        ("{{ b['__class__'] }}", "undefined|refused"),
        ("{{ b|attr('__class__') }}", "refused|undefined"),
        ("{{ (b ~ '').format.__self__ }}", "refused|undefined"),
        ("{{ '{0.__class__.__mro__}'.format(b) }}", "refused|fails"),
        ("{{ self.user() }}", "never ends|undefined"),
        ("{{ cycler }}", "undefined"),
        ("{{ lipsum() }}", "undefined"),
        ("{{ namespace() }}", "undefined"),
        ("{% import 'os' as os %}", "fails|compiled"),
        ("{{ 9 ** 9 }}", "refused"),
        ("{{ 'x' * 1000000 }}", "refused"),
        ("{{ 1000000 * 'x' }}", "refused"),
        ("{{ range(10 ** 9) }}", "refused"),
        ("{{ range(20000)|list }}", "refused"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{{ '%s' % b }}", "refused"),
        ("{% for i in range(9999) %}{{ 'x' * 9999 }}{% endfor %}", f"more than {MAX_RENDERED:,}"),
    ],
)
def test_what_a_prompt_may_not_do(user: str, says: str) -> None:
    with pytest.raises(InvalidFile, match=says) as error:
        render(prompt(user), {"b": "text"})
    assert error.value.where == "prompts/x-v1.0.md"


class TestLessons:
    TEXTS = ("missed concepts and more missed concepts", "wrong relationships", "missed concepts")

    def shown(self, call: str) -> str:
        return render(replace(prompt(f"{{{{ {call} }}}}"), lessons=self.TEXTS), {})[1]

    def test_those_that_fit_are_shown_the_best_first(self) -> None:
        assert self.shown("lessons('relationships')") == "Past failure patterns:\n\nwrong relationships"
        assert self.shown("lessons('missed', limit=1)").count("\n\n") == 1
        assert self.shown("lessons('missed')").count("\n\n") == 2
        assert self.shown("lessons('weather')") == ""

    def test_only_a_prompt_that_asks_for_them_has_them(self) -> None:
        with pytest.raises(InvalidFile, match="undefined name: 'lessons'"):
            render(prompt("{{ lessons('missed') }}"), {})
        assert render(replace(prompt("{{ lessons('missed') }}"), lessons=()), {}) == ("", "")

    @pytest.mark.parametrize("call", ["lessons.func.__globals__", "lessons.__call__", "lessons.func.__code__"])
    def test_the_function_leads_nowhere(self, call: str) -> None:
        with pytest.raises(InvalidFile, match="refused|undefined"):
            self.shown(call)

    def test_they_are_no_input_of_a_case(self) -> None:
        assert used_names(replace(prompt("{{ lessons('x') }}"), lessons=())) == set()
        assert used_names(prompt("{{ lessons('x') }}")) == {"lessons"}


def test_a_prompt_without_user_part_or_with_another_block_is_refused() -> None:
    ref = PromptRef("x", Version(1, 0))
    for body in ("hello", "{% block usr %}{% endblock %}", "{% block user %}"):
        with pytest.raises(InvalidFile):
            render(Prompt(ref, "", "concepts", {}, body, "", body, "prompts/x-v1.0.md"), {})
