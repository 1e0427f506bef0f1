"""Rendering a prompt, hostile ones included."""

from __future__ import annotations

from dataclasses import replace

import pytest

from row3.domain.prompts import Prompt, PromptRef, Version
from row3.domain.requests import messages_of
from row3.errors import InvalidFile
from row3.running.rendering.sandbox import MAX_RENDERED, attempt_isolated, environment
from row3.running.rendering.templates import is_plain, render, used_names
from tests.rows import every_row


def prompt(user: str, system: str = "") -> Prompt:
    body = f"{{% block system %}}{system}{{% endblock %}}{{% block user %}}{user}{{% endblock %}}"
    ref = PromptRef("x", Version(1, 0))
    return Prompt(ref, "", "concepts", {}, body, "", body, "prompts/x-v1.0.md")


def test_both_parts_are_rendered_and_stripped() -> None:
    assert render(prompt(" a {{ b }} \n", " you "), {"b": "<&>"}) == messages_of("you", "a <&>")


def test_template_syntax_in_the_text_is_not_rendered() -> None:
    assert render(prompt("{{ b }}"), {"b": "{{ 7 * 7 }}{% block x %}"}) == messages_of("", "{{ 7 * 7 }}{% block x %}")


@every_row(
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
        ("{{ range(10 ** 9) }}", "Range too big"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{{ b.upper }}", "prints a function"),
        ("{{ b.upper ~ '' }}", "prints a function"),
        ("{{ [b.upper] }}", "prints a function"),
        ("{{ nothing }}", "prints null"),
        ("{{ [nothing] }}", "prints null"),
        ("{{ [a] }}", "undefined name: 'a'"),
        ("{{ [a] ~ '' }}", "undefined name: 'a'"),
        ("{{ {'k': [a]} }}", "undefined name: 'a'"),
        ("{% for i in range(9999) %}{{ 'x' * 9999 }}{% endfor %}", f"more than {MAX_RENDERED:,}"),
    ],
)
def test_forbidden_templates(user: str, says: str) -> None:
    with pytest.raises(InvalidFile, match=says) as error:
        render(prompt(user), {"b": "text", "nothing": None})
    assert error.value.where == "prompts/x-v1.0.md"


@every_row("value", ["nothing", "[nothing]", "f", "self", "b.upper", "{'k': {'k': nothing}}"])
@every_row(
    "text",
    [
        "{{ %s ~ '' }}", "{{ 'x' ~ (b ~ %s) }}", "{% set x = b ~ %s %}{{ x | upper }}", "{{ %s | string }}",
        "{{ [b, %s] | join }}", "{{ [b, %s] | map('string') | join(' ') }}", "{{ '%%s' | format(%s) }}",
        "{{ '{}'.format(%s) }}", "{{ '{x}'.format(x=%s) }}", "{{ '%%s' %% [%s] }}", "{{ %s | upper }}",
        "{{ %s | e }}", "{{ (b | e).join([%s]) }}", "{{ b.replace(b, %s | trim) }}", "{{ %s | pprint }}",
    ],
)  # fmt: skip
def test_unprintable_values_are_never_turned_into_text(text: str, value: str) -> None:
    user = "{% macro f() %}{% endmacro %}" + text.replace("%%", "\0").replace("%s", value).replace("\0", "%")
    with pytest.raises(InvalidFile, match=r"prints (null|Macro|TemplateReference|a function)"):
        render(prompt(user), {"b": "text", "nothing": None})


@every_row(
    ("user", "shown"),
    [
        ("{{ a | default('none') }} {{ nothing | default('none', true) }}", "none none"),
        ("{{ [nothing, b] | last }} {{ {'x': nothing, 'y': b}.get('y', nothing) }}", "text text"),
        ("{{ {'x': nothing, 'y': b} | tojson }}", '{"x": null, "y": "text"}'),
        (
            "{{ {'x': 1}.keys() | join }} {{ {'x': 1}.items() }} {{ {'x': 1} | items | list }}",
            "x [('x', 1)] [('x', 1)]",
        ),
        ("{{ b ~ 1 ~ [2, 'c'] ~ (true ~ 0.5) }}", "text1[2, 'c']True0.5"),
        ("{{ '%s-%03d' % (b, 7) }} {{ 7 % 4 }} {{ '{:>3}'.format(1) }} {{ '%s' | format(b) }}", "text-007 3   1 text"),
        ("{{ rows | selectattr('x') | map(attribute='x') | join(', ') }}", "1, 2"),
    ],
)
def test_printable_values_become_text(user: str, shown: str) -> None:
    given = {"b": "text", "nothing": None, "rows": [{"x": 1}, {"x": None}, {"x": 2}]}
    assert render(prompt(user), given) == messages_of("", shown)


@every_row(
    "user",
    [
        "{{ 9 ** (9 ** 9) }}",
        "{{ 'x' * 10 ** 10 }}",
        "{{ b | center(10 ** 10) }}",
        "{{ [b] | tojson(indent=10 ** 10) }}",
        "{{ 1 | round(-10 ** 9) }}",
        "{{ b | batch(10 ** 10, 'x') | list }}",
        "{{ b | slice(10 ** 9) | list }}",
        "{{ '{:>10000000000}'.format(1) }}",
        "{{ b.replace('', b * 10 ** 6) }}",
        "{% set a = namespace(t=b) %}{% for i in range(99) %}{% set a.t = a.t + a.t %}{% endfor %}",
        "{% macro f(a) %}{{ f(a + a) }}{% endmacro %}{{ f(b) }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{{ b" + " | tojson" * 60 + " }}",
    ],
)
def test_after_a_template_exceeds_the_limits_the_next_one_renders(user: str) -> None:
    taking = prompt(user)
    used_names(taking)  # reads it, and runs nothing
    with pytest.raises(InvalidFile, match=r"memory|longer than|more than|never ends|undefined|OverflowError"):
        render(taking, {"b": "text"})
    assert render(prompt("{% set c = b ~ '!' %}{{ c }}"), {"b": "text"}) == messages_of("", "text!")


@every_row(
    ("user", "shown"),
    [
        (
            "{% for x in xs %}{{ loop.index }}{{ x.name | upper }}{% for y in x.ys %} {{ y }}{% endfor %};{% endfor %}",
            "1A 1 2;2B;",
        ),
        ("{% if xs | length > 1 and not c %}many{% else %}one{% endif %}", "many"),
        ("{{ xs[0].ys | tojson }} {{ xs[0].ys }} {{ b | default('none') }}", "[1, 2] [1, 2] none"),
        ("{% for pair in pairs if pair[0] %}{{ pair[0] }}={{ pair[1] }} {% endfor %}", "a=1"),
    ],
)
def test_a_plain_template_renders_the_same_in_both_processes(user: str, shown: str) -> None:
    given = {"xs": [{"name": "a", "ys": [1, 2]}, {"name": "b", "ys": []}], "c": "", "pairs": [["a", 1]]}
    body = prompt(user).body
    assert is_plain(environment().parse(body))
    assert render(prompt(user), given) == messages_of("", shown)
    assert attempt_isolated(body, given, None) == [("user", shown, [])]


@every_row(
    "user",
    [
        "{% for x in xs %}{% for y in xs %}{% endfor %}{% endfor %}",
        "{% for c in b %}{% if b | tojson == '' %}{% endif %}{% endfor %}",
        "{% for c in b %}{% if 'zq' in b %}{% endif %}{% endfor %}",
        "{% for a in xs %}{% for b in a %}{% for c in a %}{% endfor %}{% endfor %}{% endfor %}",
        "{% for x in xs recursive %}{{ loop(x.ys) }}{% endfor %}",
        "{{ xs | join('123456789 123456789 123456789') }}",
        "{{ xs | join(b) }}",
        "{{ xs | map('upper') | join }}",
        "{{ b ~ b }}",
        "{{ b.upper() }}",
        "{% set a = b %}",
        "{{ [b, b] }}",
        "{{ b[0:1] }}",
        "{% for x in xs %}{{ b | trim }}{% endfor %}",
        "{% for x in xs if x in b %}{% endfor %}",
        "{% for x in xs %}{% for c in 'abcdefgh' %}{% endfor %}{% endfor %}",
        "{% for x in xs %}{% if x == '123456789 123456789 123456789' %}{% endif %}{% endfor %}",
        "{{ xs | tojson(999999999) }}",
        "{{ xs | tojson(indent=999999999) }}",
        "{{ b | tojson | tojson }}",
    ],
)
def test_unbounded_templates_render_in_the_separate_process(user: str) -> None:
    assert not is_plain(environment().parse(user))


@every_row("value", ["9 ** (9 ** 9)", "'a' * 10 ** 10", "'a' | center(10 ** 10)"])
def test_autoescape_is_refused_before_its_value_is_evaluated(value: str) -> None:
    for read in (used_names, lambda taking: render(taking, {})):
        with pytest.raises(InvalidFile, match="autoescape"):
            read(prompt(f"{{% autoescape {value} %}}x{{% endautoescape %}}"))


class TestLessons:
    TEXTS = ("missed concepts and more missed concepts", "wrong relationships", "missed concepts")

    def shown(self, call: str) -> str:
        return render(replace(prompt(f"{{{{ {call} }}}}"), lessons=self.TEXTS), {})[-1].text

    def test_matching_lessons_are_shown_best_first(self) -> None:
        assert self.shown("lessons('relationships')") == "Past failure patterns:\n\nwrong relationships"
        assert self.shown("lessons('missed', limit=1)").count("\n\n") == 1
        assert self.shown("lessons('missed')").count("\n\n") == 2
        assert self.shown("lessons('weather')") == ""

    def test_only_prompts_that_enable_lessons_have_them(self) -> None:
        with pytest.raises(InvalidFile, match="undefined name: 'lessons'"):
            render(prompt("{{ lessons('missed') }}"), {})
        assert render(replace(prompt("{{ lessons('missed') }}"), lessons=()), {}) == messages_of("", "")

    @every_row("call", ["lessons.func.__globals__", "lessons.__call__", "lessons.func.__code__"])
    def test_the_lessons_function_exposes_no_internals(self, call: str) -> None:
        with pytest.raises(InvalidFile, match="refused|undefined"):
            self.shown(call)

    def test_lessons_are_not_a_case_variable(self) -> None:
        assert used_names(replace(prompt("{{ lessons('x') }}"), lessons=())) == set()
        assert used_names(prompt("{{ lessons('x') }}")) == {"lessons"}


def test_a_prompt_without_user_part_or_with_another_block_is_refused() -> None:
    ref = PromptRef("x", Version(1, 0))
    for body in ("hello", "{% block usr %}{% endblock %}", "{% block user %}"):
        with pytest.raises(InvalidFile):
            render(Prompt(ref, "", "concepts", {}, body, "", body, "prompts/x-v1.0.md"), {})
