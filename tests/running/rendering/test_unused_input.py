"""Prompts that show nothing of a case."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from row3.domain.prompts import Prompt, PromptRef, Version
from row3.errors import InvalidFile
from row3.kinds.base import Rules
from row3.kinds.extraction.score import Extraction
from row3.kinds.retrieval import KIND as RETRIEVAL
from row3.running.rendering.templates import render
from row3.running.rendering.unused_input import UnusedInput, example_context, unused_input, unused_inputs
from tests.rows import every_row

GIVEN = ("topic", "source_text")


def prompt(user: str, system: str = "", output: str = "extraction") -> Prompt:
    body = f"{{% block system %}}{system}{{% endblock %}}\n{{% block user %}}{user}{{% endblock %}}"
    text = f"---\nname: x\n---\n{body}"
    return Prompt(PromptRef("x", Version(1, 0)), "", output, {}, body, "", text, f"prompts/{output}.md")


def found(user: str, system: str = "") -> UnusedInput | None:
    return unused_input(prompt(user, system), GIVEN)


@every_row(
    "text",
    [
        "{{ source_text }}",
        "{source_text} {{ source_text }}",
        "{% if source_text %}{{ source_text | upper }}{% endif %}",
        "{% for word in source_text.split() %}{{ word }} {% endfor %}",
        "{{ source_text | length }}",
        "{% set text = source_text %}{{ text }}",
        "{% macro show(text) %}{{ text }}{% endmacro %}{{ show(source_text) }}",
    ],
)
def test_any_use_of_the_text_is_accepted(text: str) -> None:
    assert found(text) is None
    assert found("Go on.", system=text) is None


@every_row(
    "text",
    [
        "Find the concepts.", "{# {{ source_text }} #}", "{% raw %}{{ source_text }}{% endraw %}",
        "{% set source_text = 'no' %}{{ source_text }}", "{{ 'source_text' }}",
    ],
)  # fmt: skip
def test_using_nothing_of_the_case_is_an_error(text: str) -> None:
    unused = found(text)
    assert unused is not None
    assert unused.level == "error"
    assert unused.message == (
        "sends the same request for every case: it uses nothing of the case. "
        "It can use `{{ topic }}`, `{{ source_text }}`"
    )


@every_row("text", ["{source_text}", "{ source_text }", "${source_text}"])
def test_single_braces_are_named_with_their_line(text: str) -> None:
    unused = found(f"Read this.\n{text}")
    assert unused is not None
    assert unused.message.endswith(
        " uses nothing of the case. `{source_text}` is sent literally: write `{{ source_text }}`"
    )
    assert unused.line == 6


def test_text_in_single_braces_is_a_warning_if_the_topic_is_used() -> None:
    unused = found("{{ topic }}: {source_text}")
    assert unused is not None
    assert (unused.level, unused.line) == ("warning", 5)
    assert unused.message.startswith("does not show `source_text`. `{source_text}` is sent literally")


@every_row("text", ["{{ missing }}", "{{ source_text"])
def test_an_invalid_template_is_not_reported_here(text: str) -> None:
    assert found(text) is None


@every_row(
    ("second", "level"),
    [
        ("{% for c in concepts %}{{ c.label }}{% endfor %}", None),
        ("{{ source_text }}", None),
        ("{{ source_text }}, with {concepts}", "warning"),
        ("{concepts}", "error"),
        ("Relate them.", "error"),
    ],
)
def test_earlier_output_counts_as_input(second: str, level: str | None) -> None:
    prompts = [prompt("{{ source_text }}", output="concepts"), prompt(second, output="relationships")]
    told = {at.output: unused.level for at, unused in unused_inputs(Extraction(), Rules(), prompts, GIVEN)}
    assert told == ({} if level is None else {"relationships": level})


def test_only_the_prompt_at_fault_is_blamed() -> None:
    prompts = [prompt("{source_text}", output="concepts"), prompt("{{ concepts }}", output="relationships")]
    told = unused_inputs(Extraction(), Rules(), prompts, GIVEN)
    assert [(at.output, unused.level) for at, unused in told] == [("concepts", "error")]


@every_row(
    ("text", "known"),
    [
        ("{{ found | tojson }}", True),
        ("{% for one in found %}{{ one.id }} {{ one.title | upper }}{% endfor %}", True),
        ("{% for one in found.hits %}{{ one }}{% endfor %}{{ found.hits[0].text | trim }} {{ found | length }}", True),
        ("{% for key, value in found.items() %}{{ key }}{{ value.a[1:2] }}{% endfor %}", True),  # in another process
        ("{% set first = found[0] %}{{ first.parts.a | default('none') }}", True),
        ("{{ fond }}", False),
        ("{% for one in found %}{{ one.id }}{% endfor %}{{ one.id }}", False),
    ],
)
def test_what_a_system_finds_has_any_shape(text: str, known: bool) -> None:
    given = example_context(RETRIEVAL, Rules(), "found")
    with nullcontext() if known else pytest.raises(InvalidFile, match="undefined"):
        assert render(prompt(text + "."), given)
