"""Options of a command, repeated in the commands that it prints."""

from __future__ import annotations

from row3.domain.typed_options import NOTHING, Given

GIVEN = Given((("prompt", "extract-v1.2"), ("model", "a b"), ("repeats", "3"), ("mode", "record"), ("confirm", "8")))


def test_each_command_gets_the_options_it_accepts() -> None:
    assert GIVEN.flags("row3 --compare") == " --prompt extract-v1.2 --model 'a b' --repeats 3 --mode record --confirm 8"
    assert GIVEN.flags("row3 investigate") == " --prompt extract-v1.2 --model 'a b'"
    assert GIVEN.flags("row3 --baseline") == " --model 'a b' --repeats 3 --mode record"
    assert GIVEN.flags("row3 trend") == ""


def test_no_option_is_repeated_twice() -> None:
    said = ("mode", "confirm", "repeats", "model")
    assert GIVEN.flags("row3 --compare", *said) == " --prompt extract-v1.2"
    assert GIVEN.flags("row3 promote", "extract-v1.2") == " --model 'a b' --repeats 3"


def test_every_command_gets_the_folder_option() -> None:
    assert Given((("C", "my project"),)).flags("row3 trend") == " -C 'my project'"
    assert NOTHING.flags("row3 --compare") == ""
