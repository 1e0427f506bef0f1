"""Templates that write messages: few-shot and chat prompts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.prompts import Prompt, PromptRef, Version
from row3.domain.requests import Message, Messages, digest_of, messages_of
from row3.errors import InvalidFile
from row3.running.rendering.sandbox import MAX_RENDERED, attempt, attempt_isolated, environment
from row3.running.rendering.templates import is_plain, render, unsent_lines, used_names

FEW_SHOT = """{% message "system" %}You name colours.{% endmessage %}
{% for shot in shots %}
{% message "user" %}{{ shot.text }}{% endmessage %}
{% message "assistant" %}{{ shot.answer }}{% endmessage %}
{% endfor %}
{% message "user" %} {{ text }} {% endmessage %}
"""
GIVEN = {"text": "Snow is", "shots": [{"text": "Coal is", "answer": "black"}, {"text": "Grass is", "answer": "green"}]}
SHOWN = (
    Message("system", "You name colours."),
    Message("user", "Coal is"),
    Message("assistant", "black"),
    Message("user", "Grass is"),
    Message("assistant", "green"),
    Message("user", "Snow is"),
)


def prompt(body: str) -> Prompt:
    text = f"---\nname: x\n---\n{body}"
    return Prompt(PromptRef("x", Version(1, 0)), "", "answer", {}, body, "", text, "prompts/x-v1.0.md")


def test_messages_repeat_and_loop_in_both_processes() -> None:
    assert is_plain(environment().parse(FEW_SHOT))
    assert render(prompt(FEW_SHOT), GIVEN) == SHOWN
    assert attempt_isolated(FEW_SHOT, GIVEN, None) == attempt(FEW_SHOT, GIVEN, None)
    assert used_names(prompt(FEW_SHOT)) == {"text", "shots"}
    assert unsent_lines(prompt(FEW_SHOT)) == []


@pytest.mark.parametrize(
    "body",
    [
        "{% for m in turns %}{% message m.role %}{{ m.content }}{% endmessage %}{% endfor %}",
        "{% macro say(m) %}{% message m.role %}{{ m.content }}{% endmessage %}{% endmacro %}"
        "{% for m in turns %}{{ say(m) }}{% endfor %}",
        "{% set all = turns %}{% for m in all %}{% with text = m.content %}{% message m.role %}"
        "{{ text ~ '' }}{% endmessage %}{% endwith %}{% endfor %}",
        "{%- for m in turns if m.content -%}{%- message m.role -%} {{ m.content }} {%- endmessage -%}{%- endfor -%}",
    ],
)
def test_a_conversation_of_the_case_is_sent_turn_by_turn(body: str) -> None:
    turns = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "Who are you?"},
    ]
    assert render(prompt(body), {"turns": turns}) == tuple(Message(m["role"], m["content"]) for m in turns)  # type: ignore[arg-type]
    assert unsent_lines(prompt(body)) == []


def test_a_message_without_a_text_is_left_out() -> None:
    body = '{% message "system" %}{% if rules %}{{ rules }}{% endif %}{% endmessage %}'
    body += '{% message "user" %}a{% endmessage %}'
    assert render(prompt(body), {"rules": ""}) == (Message("user", "a"),)


@given(st.text(), st.text(min_size=1).filter(str.strip))
def test_blocks_and_messages_of_the_same_text_are_the_same_request(system: str, user: str) -> None:
    given = {"a": system, "b": user}
    blocks = "{% block system %}{{ a }}{% endblock %}{% block user %}{{ b }}{% endblock %}"
    messages = '{% message "system" %}{{ a }}{% endmessage %}{% message "user" %}{{ b }}{% endmessage %}'
    rendered = render(prompt(messages), given)
    assert rendered == render(prompt(blocks), given) == messages_of(system.strip(), user.strip())


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(alphabet="ab", max_size=2)), max_size=3))
def test_different_messages_have_different_digests(turns: list[Any]) -> None:
    messages: Messages = (Message("user", "a"), *(Message(role, text) for role, text in turns), Message("user", "b"))
    others = {digest_of(b"", messages[:1] + messages[at:]) for at in range(2, len(messages) + 1)}
    assert digest_of(b"", messages) not in others


@pytest.mark.parametrize(
    ("body", "says", "fix"),
    [
        (
            '{% message "assistant" %}a{% endmessage %}{% message "user" %}b{% endmessage %}',
            "assistant message first",
            "Write",
        ),
        (
            '{% message "system" %}a{% endmessage %}{% message "assistant" %}a{% endmessage %}'
            '{% message "user" %}b{% endmessage %}',
            "assistant message first",
            "Write `{% message",
        ),
        ('{% message "system" %}a{% endmessage %}', "no user message", "Write `{% message"),
        ('{% message "user" %} {% endmessage %}', "no user message", "Write `{% message"),
        ('{% for x in [] %}{% message "user" %}a{% endmessage %}{% endfor %}', "no user message", "Write `{% message"),
        (
            '{% message "user" %}a{% message "system" %}b{% endmessage %}{% endmessage %}',
            "inside a message",
            "Write one",
        ),
        ('{% message "robot" %}a{% endmessage %}', 'line 1 of its body: the role of a message is one of "system"', ""),
        ("\n{% message user %}a{% endmessage %}", "line 2 of its body.*in quotes", "Correct it"),
        ("{% message %}a{% endmessage %}", "has an error in line 1", ""),
        ('{% message "user" %}a', "has an error in line 1.*endmessage", ""),
        ("{% message text %}a{% endmessage %}", "message of the role 'robot'", "Use system, user, assistant"),
        ("{% message nothing %}a{% endmessage %}", "undefined name: 'nothing'", "It can use text"),
        ('{% message "user" %}{{ nothing }}{% endmessage %}', "undefined name: 'nothing'", "It can use text$"),
        (
            '{% block user %}a{% endblock %}{% message "user" %}a{% endmessage %}',
            "both messages and blocks",
            "Make each",
        ),
        (
            '{% block user %}{% message "user" %}a{% endmessage %}{% endblock %}',
            "both messages and blocks",
            "Make each",
        ),
        (
            '{% for i in range(9999) %}{% message "user" %}{{ "x" * 9999 }}{% endmessage %}{% endfor %}',
            f"more than {MAX_RENDERED:,}",
            "Simplify",
        ),
    ],
)
def test_messages_that_cannot_be_sent_are_one_error(body: str, says: str, fix: str) -> None:
    with pytest.raises(InvalidFile, match=says) as error:
        render(prompt(body), {"text": "robot"})
    assert error.value.where == "prompts/x-v1.0.md"
    assert fix.removesuffix("$") in error.value.fix


def test_text_outside_messages_is_never_sent() -> None:
    body = """Lost
{% for x in xs %}
lost too
{% message "user" %}{{ x }}{% endmessage %}
{% endfor %}
{{ lost }}
"""
    assert unsent_lines(prompt(body)) == [4, 6, 9]
    assert render(prompt(body), {"xs": ["a"], "lost": "b"}) == (Message("user", "a"),)


@pytest.mark.parametrize(
    "body",
    [
        "{% for x in xs %}{% message 'user' %}{{ b }}{% endmessage %}{% endfor %}",
        "{% message 'user' %}{{ b ~ b }}{% endmessage %}",
        "{% message b ~ '' %}{{ b }}{% endmessage %}",
    ],
)
def test_unbounded_messages_render_in_the_separate_process(body: str) -> None:
    assert not is_plain(environment().parse(body))
