"""Types of files, and files in inputs."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.files import FileInput, file_inputs, is_media, media_type_of
from tests.strategies import json_values


@pytest.mark.parametrize(
    ("raw", "media"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xdb", "image/jpeg"),
        (b"\xff\xd8\xff\xe1Exif", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8L", "image/webp"),
        (b"%PDF-2.0", "application/pdf"),
        (b"RIFF\0\0\0\0WAVE", ""),
        (b"\x89PNG", ""),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", ""),
        (b"BM\0\0", ""),
        (b"II*\0", ""),
        (b" %PDF-1.7", ""),
        (b"", ""),
    ],
)
def test_the_first_bytes_give_the_type(raw: bytes, media: str) -> None:
    assert media_type_of(raw) == media_type_of(raw + b"more") == media


def test_names_end_like_their_types_in_any_case() -> None:
    assert all(map(is_media, ("a.png", "A.JPG", "b/c.JpEg", "x.webp", "x.gif", "x.y.pdf")))
    assert not any(map(is_media, ("png", "a.svg", "a.png.txt", "a.tiff", "")))


@given(json_values())
def test_json_has_no_files(value: Any) -> None:
    assert [*file_inputs(value)] == []


@given(st.lists(st.sampled_from(["x", "y"]), max_size=3))
def test_files_are_found_at_any_depth_and_cross_to_the_renderer_without_their_bytes(places: list[str]) -> None:
    given: Any = [{"page": [FileInput({"file": each}, each)]} for each in places]
    sent = pickle.loads(pickle.dumps(given))
    assert [each.place for each in file_inputs(sent)] == [each.place for each in file_inputs(given)] == places
