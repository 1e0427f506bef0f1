"""Rendering a prompt, hostile ones included."""

from __future__ import annotations

import pytest

from row3.domain.prompts import Prompt, PromptRef, Version
from row3.errors import InvalidFile
from row3.workflows.pipeline.templates import MAX_RENDERED, render


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


def test_a_prompt_without_user_part_or_with_another_block_is_refused() -> None:
    ref = PromptRef("x", Version(1, 0))
    for body in ("hello", "{% block usr %}{% endblock %}", "{% block user %}"):
        with pytest.raises(InvalidFile):
            render(Prompt(ref, "", "concepts", {}, body, "", body, "prompts/x-v1.0.md"), {})
