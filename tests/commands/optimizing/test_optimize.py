"""What an optimiser may change of a prompt, and what it may not."""

from __future__ import annotations

import pytest

from row3.commands.optimizing.optimize import draft_of, flaw_in, reworded, wording_of
from row3.domain.prompts import Prompt, PromptRef, Version
from row3.errors import InvalidFile
from row3.project.prompts import parse_prompt
from tests.rows import every_row

REF = PromptRef("answer", Version(1, 0))
HEAD = '---\nname: answer\nversion: "1.0" # ours\n{description}output: answer\ntemperature: 0.5\n---\n'
BODY = """Around it.
{%- block system -%}
  Be brief. {# not sent: {{ nothing }} #}
{%- endblock system -%}
{% block user %}{% for line in lines %}{{- line | upper -}}{% endfor %}
Thanks.{% endblock %}
"""
SYSTEM = "Be brief. {# not sent: {{ nothing }} #}"
USER = "{% for line in lines %}{{- line | upper -}}{% endfor %}\nThanks."


def prompt(body: str = BODY, description: str = "description: Says it.\n") -> Prompt:
    path = "prompts/answer-v1.0.md"
    return parse_prompt(HEAD.format(description=description) + body, REF, path=path, where=path)


def test_the_text_of_the_blocks_and_nothing_around_it() -> None:
    assert list(wording_of(prompt()).items()) == [("user", USER), ("system", SYSTEM)]
    other = reworded(prompt(), {"user": f"New {{% x %}} \\1 {USER}", "system": "Be kind."})
    assert other.body == BODY.replace(SYSTEM, "Be kind.").replace(USER, f"New {{% x %}} \\1 {USER}")
    assert other.text == HEAD.format(description="description: Says it.\n") + other.body
    assert other.digest != prompt().digest
    assert reworded(prompt(), wording_of(prompt())).body == BODY


@every_row(
    "body",
    [
        "{% block system %}Be brief.{% endblock %}",
        "{% block user %}{% block system %}x{% endblock %}{% endblock %}",
        "{% block user %}{{ x {% endblock %}",
    ],
)
def test_a_template_without_separate_blocks(body: str) -> None:
    with pytest.raises(InvalidFile, match=r"prompts/answer-v1\.0\.md"):
        wording_of(prompt(body))


@every_row(
    ("text", "flaw"),
    [
        (USER.replace("Thanks.", "Please."), ""),
        (USER.replace("{{- line | upper -}}", "{{line  |  upper}}"), ""),
        (f"{USER} {USER}", ""),
        (USER.replace("{{- line | upper -}}", ""), "The text loses {{ line | upper }}."),
        (USER.replace("{{- line | upper -}}", "{# {{- line | upper -}} #}"), "The text loses {{ line | upper }}."),
        (f"{USER}{{{{ expected }}}}", "The text adds {{ expected }}."),
        (f"{USER}{{% endblock %}}{{% block other %}}", "The text adds {% block other %}, {% endblock %}."),
        (f"{{% raw %}}{USER}{{% endraw %}}", "The text adds {% endraw %}, {% raw %}."),
    ],
)
def test_placeholders_stay(text: str, flaw: str) -> None:
    assert flaw_in(wording_of(prompt()), {"user": text, "system": SYSTEM}) == flaw


@every_row(
    "old",
    [
        "", "description: Says it.\n", "'description' : \"Says it.\"\n", "description: >\n  Says it:\n\n  twice.\n",
        "description: Says\n  it.\n# why\n",
    ],
)  # fmt: skip
def test_a_draft_keeps_the_front_matter_but_version_and_description(old: str) -> None:
    text = draft_of(prompt(description=old), PromptRef("answer", Version(1, 7)), 'Better: "10%" → 20%.')
    draft = parse_prompt(text, PromptRef("answer", Version(1, 7)), path="x", where="x")
    assert draft.description == 'Better: "10%" → 20%.'
    assert (draft.parameters, draft.output, draft.body) == ({"temperature": 0.5}, "answer", BODY)
    assert 'version: "1.7" # ours\n' in text
    assert "Says" not in text
    assert ("# why" in text) == ("# why" in old)
