"""Prompts filled in without running a template: always what Jinja2 writes, or left to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.prompts import Prompt, PromptRef, Version
from row3.errors import InvalidFile
from row3.workflows.pipeline import templates
from row3.workflows.pipeline.plain_prompts import MOST_PIECES
from row3.workflows.pipeline.templates import MAX_RENDERED, render, run_template

NAMES = ("topic", "text", "items", "item", "range", "self", "loop", "super", "missing")
ATTRIBUTES = ("label", "quote", "items", "pop", "__class__", "_x", "gone")

texts = st.text(alphabet=st.sampled_from("ab \n\t{}<&é’\u2028"), max_size=6)
names = st.sampled_from(NAMES)
dashes = st.sampled_from(("", "-", "+"))


@st.composite
def outputs(draw: st.DrawFn) -> str:
    name, left, right = draw(names), draw(st.sampled_from(("", "-"))), draw(st.sampled_from(("", "-")))
    more = draw(st.sampled_from(("", "", "", "|upper", "|length", " ~ text", "['label']", "[0]", "()")))
    attribute = draw(st.one_of(st.just(""), st.sampled_from(ATTRIBUTES).map(lambda key: f".{key}")))
    return f"{{{{{left} {name}{attribute}{more} {right}}}}}"


def loops(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda target, over, how, body, end: f"{{% for {target} in {over}{how} %}}{body}{{%{end} endfor %}}",
        st.sampled_from(("item", "items", "x, y")),
        st.sampled_from(("items", "items", "items", "text", "missing", "range(2)")),
        st.sampled_from(("", "", "", " if item", " recursive")),
        inside,
        dashes,
    )


others = st.sampled_from(
    (
        "{# a note #}",
        "{% if topic %}a{% else %}b{% endif %}",
        "{% set topic = 'x' %}",
        "{% raw %}{{ a }}{% endraw %}",
        "{{ 1 }}",
    )
)
bodies = st.recursive(
    st.lists(st.one_of(texts, texts, outputs(), others), max_size=5).map("".join),
    lambda inside: st.lists(st.one_of(texts, outputs(), loops(inside)), max_size=4).map("".join),
    max_leaves=6,
)
words = st.text(alphabet=st.sampled_from("ab \n\t<&é’"), max_size=6)
plain_bodies = st.lists(
    st.one_of(
        words,
        st.sampled_from(("{{ topic }}", "{{- text }}", "{{ text -}}\n")),
        st.lists(st.one_of(words, st.sampled_from(("{{ item.label }}", "{{ item.quote -}} "))), max_size=4).map(
            lambda parts: f"{{% for item in items %}}{''.join(parts)}{{% endfor -%}}"
        ),
    ),
    max_size=6,
).map("".join)
values = st.one_of(texts, st.integers(0, 3), st.none(), st.booleans(), st.just({"label": "x"}))
things = st.dictionaries(st.sampled_from(ATTRIBUTES), st.one_of(texts, values), max_size=3)
labelled = st.builds(lambda label, quote: {"label": label, "quote": quote}, texts, texts)
variables = st.fixed_dictionaries(
    {},
    optional={
        "topic": st.one_of(texts, values),
        "text": st.one_of(texts, values),
        "items": st.one_of(st.lists(labelled, max_size=3), st.lists(st.one_of(things, values), max_size=3), values),
        "item": values,
        "range": texts,
        "self": texts,
        "loop": texts,
    },
)


def prompt(user: str, system: str = "") -> Prompt:
    body = f"{{% block system %}}{system}{{% endblock %}}{{% block user %}}{user}{{% endblock %}}"
    return Prompt(PromptRef("x", Version(1, 0)), "", "concepts", {}, body, "", body, "prompts/x-v1.0.md")


def outcome(how: Any, asked: Prompt, given_values: dict[str, Any]) -> Any:
    try:
        return how(asked, given_values)
    except InvalidFile as error:
        return str(error)


@given(bodies, bodies, variables)
def test_it_is_what_jinja_writes_or_its_error(user: str, system: str, given_values: dict[str, Any]) -> None:
    asked = prompt(user, system)
    assert outcome(render, asked, given_values) == outcome(run_template, asked, given_values)


@given(plain_bodies, variables)
def test_values_that_are_not_plain_are_left_to_it(user: str, given_values: dict[str, Any]) -> None:
    asked = prompt(user)
    assert outcome(render, asked, given_values) == outcome(run_template, asked, given_values)


@given(plain_bodies, st.lists(labelled, max_size=4), texts, texts)
def test_texts_names_and_loops_need_no_template(user: str, items: list[Any], topic: str, text: str) -> None:
    asked, given_values = prompt(user, "You {{ topic }}"), {"items": items, "topic": topic, "text": text}
    wanted = run_template(asked, given_values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates, "run_template", pytest.fail)
        assert render(asked, given_values) == wanted


def test_a_block_that_is_named_in_a_branch_is_filled_in_all_the_same() -> None:
    body = "{% if no %}{% block user %}a {{ text }}{% endblock %}{% endif %}"
    asked = Prompt(PromptRef("x", Version(1, 0)), "", "concepts", {}, body, "", body, "prompts/x-v1.0.md")
    assert render(asked, {"text": "b"}) == run_template(asked, {"text": "b"}) == ("", "a b")


@pytest.mark.parametrize("items", [MOST_PIECES, MOST_PIECES // 3, 10])
def test_however_long_a_list_is(items: int) -> None:
    asked = prompt("{% for item in items %}- {{ item.label }}\n{% endfor %}")
    many = {"items": [{"label": str(number)} for number in range(items)]}
    assert render(asked, many) == run_template(asked, many)


def test_too_much_text_is_refused_as_ever() -> None:
    asked = prompt("{{ text }}{{ text }}")
    with pytest.raises(InvalidFile, match="writes more than"):
        render(asked, {"text": "x" * (MAX_RENDERED // 2 + 1)})
    assert len(render(asked, {"text": "x" * (MAX_RENDERED // 2)})[1]) == MAX_RENDERED
