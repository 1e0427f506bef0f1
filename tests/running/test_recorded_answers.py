"""Titles distinguish settings of the same versions and model."""

from __future__ import annotations

from row3.running.recorded_answers import Setting, titles_of
from row3.running.stages import Parameters


def setting(*, digest: str = "0123456789abcdef", max_tokens: int | None = None, version: str = "v1.1") -> Setting:
    return Setting((("extract", version, digest),), (Parameters("baker-1", 0.0, None, max_tokens),))


def test_a_unique_setting_is_titled_by_versions_and_model() -> None:
    assert titles_of([setting(), setting(version="v1.0", max_tokens=400)]) == [
        "extract v1.1 · baker-1",
        "extract v1.0 · baker-1",
    ]


def test_parameters_and_texts_that_differ_are_named() -> None:
    assert titles_of([setting(), setting(max_tokens=400), setting(version="v1.0")]) == [
        "extract v1.1 · baker-1 · maxTokens none",
        "extract v1.1 · baker-1 · maxTokens 400",
        "extract v1.0 · baker-1",
    ]
    assert titles_of([setting(), setting(digest="fedcba9876543210")]) == [
        "extract v1.1 · baker-1 · text 01234567",
        "extract v1.1 · baker-1 · text fedcba98",
    ]


def test_among_several_prompts_the_differing_one_is_named() -> None:
    first, second = setting(), setting(max_tokens=9)
    whole = [
        Setting((*first.prompts, ("map", "v1.0", "d")), (*each.parameters, *first.parameters))
        for each in (first, second)
    ]
    assert titles_of(whole)[1] == "extract v1.1 → map v1.0 · baker-1 · extract maxTokens 9"
