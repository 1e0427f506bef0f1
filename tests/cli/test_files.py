"""Pictures and PDFs in golden inputs, through a stub that checks the bytes."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.domain.requests import digest_text
from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box

HEAD = '---\nname: see\nversion: "1.0"\noutput: answer\n---\n'
BLOCK = "{% block user %}What is on it?\n{{ image }}\nOne word.{% endblock %}"


def png(shade: int) -> bytes:
    """A picture of one grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes([0, shade]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


GIF = b"GIF89a\x01\x00\x01\x00\x80\x00\x00" + bytes(3) + b"\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
FILES = {
    "a.png": ("image/png", png(1)),
    "b.jpg": ("image/jpeg", b"\xff\xd8\xff\xe0" + bytes(64)),
    "c.webp": ("image/webp", b"RIFF\x20\x00\x00\x00WEBPVP8 " + bytes(24)),
    "d.GIF": ("image/gif", GIF),
    "e.pdf": ("application/pdf", PDF),
}


class Stub(ChatServer):
    """Answers with the digests of the files in a request, in their order."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        self.bodies.append(body)
        return FakeReply(" ".join(digest_text(raw) for _, raw in files_in(body)))


def files_in(body: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield media type and bytes of the files in a request."""
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            url = {"image_url": lambda p: p["image_url"]["url"], "file": lambda p: p["file"]["file_data"]}.get(
                part["type"]
            )
            if url is not None:
                head, _, data = url(part).partition(";base64,")
                yield head.removeprefix("data:"), base64.b64decode(data, validate=True)


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    yield stub
    stub.stop()


@pytest.fixture
def box(tmp_path: Path, stub: Stub) -> Box:
    box = Box(tmp_path / "project")
    for name, (_, raw) in FILES.items():
        put(box, f"scans/{name}", raw)
    case(box, "a", {"image": {"file": "scans/a.png"}})
    box.write("prompts/see-v1.0.md", HEAD + BLOCK)
    box.write(
        "row3.toml",
        f'[provider]\npreset = "ollama"\nbase_url = "{stub.url}"\nmodel = "m"\nmax_retries = 0\n\n'
        '[suites.scans]\nkind = "checks"\n',
    )
    return box


def put(box: Box, name: str, raw: bytes) -> None:
    box.path(name).parent.mkdir(parents=True, exist_ok=True)
    box.path(name).write_bytes(raw)


def case(box: Box, name: str, given: Any, wanted: bytes = FILES["a.png"][1]) -> None:
    value = {"id": name, "input": given, "checks": [{"contains": digest_text(wanted)}]}
    box.write(f"golden/scans/{name}.gold.json", json.dumps(value, indent=1))


def passed(box: Box, *args: str, code: int = 0) -> float:
    """The share of passed cases of a run."""
    found = json.loads(box.row3(*args, "--format", "json", code=code).out)
    return float(found["metrics"]["casesPassed"]["value"])


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_sent_as_it_is_and_recorded_by_its_digest(box: Box, stub: Stub, name: str) -> None:
    media, raw = FILES[name]
    case(box, "a", {"image": {"file": f"scans/{name}"}}, raw)
    box.row3("--mode", "record", code=0)
    (body,) = stub.bodies
    assert list(files_in(body)) == [(media, raw)]
    content = body["messages"][0]["content"]
    assert [part.get("text") for part in content] == ["What is on it?", None, "One word."]
    if media == "application/pdf":
        assert content[1]["file"]["filename"].endswith(".pdf")
    (file,) = box.path("recordings").rglob("*.jsonl")
    line = json.loads(file.read_text())
    assert line["request"]["files"] == [{"path": f"scans/{name}", "mediaType": media, "digest": digest_text(raw)}]
    assert base64.b64encode(raw)[:20].decode() not in file.read_text()
    box.row3("--mode", "replay", code=0)
    put(box, f"scans/{name}", raw + b"\n")
    missing = box.row3("--mode", "replay", code=3)
    assert "first difference in files: a file of the input" in missing.out + missing.err


@pytest.mark.parametrize(
    ("body", "given", "names"),
    [
        (
            '{% message "user" %}{{ first }}{% endmessage %}{% message "assistant" %}grey{% endmessage %}'
            '{% message "user" %}{{ image }}{% endmessage %}',
            {"first": {"file": "scans/d.GIF"}, "image": {"file": "scans/a.png"}},
            ["d.GIF", "a.png"],
        ),
        (
            "{% block system %}{{ pages[1] }}{% endblock %}"
            "{% block user %}{% for page in pages %}{{ page }}{% endfor %}{% endblock %}",
            {"pages": [{"file": "scans/e.pdf"}, {"file": "scans/./a.png"}]},
            ["a.png", "e.pdf", "a.png"],
        ),
        (
            "{% block user %}{{ input.image | default('none') }}{% endblock %}",
            {"image": {"file": "scans/a.png"}},
            ["a.png"],
        ),
        (
            "{% block user %}{% macro show(x) %}<{{ x }}>{% endmacro %}{{ show(image) }}"
            "{% set b = image %}{{ b }}{% endblock %}",
            {"image": {"file": "scans/a.png"}},
            ["a.png", "a.png"],
        ),
        ("{% block user %}{{ image.file }} {{ image | tojson }}{% endblock %}", {"image": {"file": "scans/a.png"}}, []),
        ("{% block user %}{{ input }}{% endblock %}", {"file": "scans/a.png"}, []),
    ],
)
def test_files_are_where_the_template_prints_them(
    box: Box, stub: Stub, body: str, given: Any, names: list[str]
) -> None:
    box.write("prompts/see-v1.0.md", HEAD + body)
    case(box, "a", given)
    box.row3("--mode", "record", code=0)
    assert [raw for _, raw in files_in(stub.bodies[0])] == [FILES[name][1] for name in names]
    box.row3("--mode", "replay", code=0)


@pytest.mark.parametrize(
    "printed",
    ["pages", 'pages | join("\n")', '"see " ~ pages[0]', "pages[0] | trim", "doc", "input", '"%s" % doc.cover',
     "pages | map('upper') | list", "[pages]", "doc.cover | string"],
)  # fmt: skip
def test_a_file_is_never_sent_as_the_text_of_its_name(box: Box, stub: Stub, printed: str) -> None:
    file = {"file": "scans/a.png"}
    case(box, "a", {"pages": [file, file], "doc": {"cover": file}})
    box.write("prompts/see-v1.0.md", HEAD + f"{{% block user %}}{{{{ {printed} }}}}{{% endblock %}}")
    (error,) = box.row3("--mode", "record", code=2).errors
    assert "prints the file `input." in error
    assert "print it alone" in error
    assert "print it alone" in box.row3("lint", code=2).out
    assert stub.bodies == []


@pytest.mark.parametrize(
    ("given", "printed", "told"),
    [
        ({"image": {"file": "scans/a.png", "detail": "low"}}, "{{ image }}", "scans/a.png"),
        ({"images": [{"file": "scans/a.png", "page": 2}]}, "{{ images }}", "scans/a.png"),
        ({"image": {"file": "scans/a.png"}}, "{{ image | tojson }}", "scans/a.png"),
        ({"image": {"file": "scans/./a.png"}}, "See {{ image.file }}.", "scans/./a.png"),
        ({"image": {"file": "scans/größe.PDF"}}, "{{ image | tojson }}", "scans/größe.PDF"),
        ({"file": "scans/a.png"}, "{{ input }}", "scans/a.png"),
        ({"image": {"file": "scans/./a.png"}}, "{{ image.file }}: {{ image }}", ""),
        ({"image": {"file": "scans/a.png"}, "q": "What?"}, "{{ q }}", ""),
        ({"image": {"file": "notes.csv", "rows": 2}}, "{{ image }}", ""),
        ({"image": {"path": "scans/a.png"}}, "{{ image }}", ""),
    ],
)
def test_lint_tells_when_only_the_name_of_a_file_is_sent(box: Box, given: Any, printed: str, told: str) -> None:
    case(box, "a", given)
    if others := {key: {"file": "scans/b.jpg"} for key in given.keys() - {"file"}}:
        case(box, "b", others)  # of the same variables
    box.write("prompts/see-v1.0.md", HEAD + f"{{% block user %}}{printed}{{% endblock %}}")
    lint = box.row3("lint", "--format", "json", code=0).json
    found = [each for each in lint["findings"] if each["rule"] == "unsent-file"]
    assert [each["file"] for each in found] == ["prompts/see-v1.0.md"] * bool(told)
    assert all(f"sends the name `{told}`, not the file" in each["message"] for each in found)


def test_an_edited_picture_is_named_where_nothing_else_changed(box: Box) -> None:
    case(box, "e", {"image": {"file": "scans/e.pdf"}}, PDF)
    box.row3("--baseline", "--mode", "record", code=0)
    assert "nothing" in box.row3("--compare", code=0).out
    put(box, "scans/e.pdf", PDF + b"\n")
    shown = box.row3("--compare", "--mode", "auto", code=None).out
    assert "changed   golden cases edited: e\n" in shown
    assert "nothing but the answers" not in shown


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("scans/none.png", "does not exist"),
        ("scans", "folder"),
        ("../outside.png", "outside the project"),
        ("scans/../../outside.png", "outside the project"),
        ("/outside.png", "outside the project"),
        ("C:\\outside.png", "outside the project"),
        ("scans/link.png", "symbolic link"),
        ("scans/text.png", "not a picture or PDF"),
        ("scans/a.txt", "not a picture or PDF"),
        ("scans/empty.pdf", "not a picture or PDF"),
        ("scans/large.png", "20,000,001 bytes, more than 20,000,000"),
        ("", "outside the project|folder|not a picture"),
    ],
)
def test_a_file_that_cannot_be_sent_is_one_error_with_file_and_field(
    box: Box, stub: Stub, path: str, says: str
) -> None:
    put(box, "../outside.png", png(1))
    put(box, "scans/text.png", b"version https://git-lfs.github.com/spec/v1\n")
    put(box, "scans/a.txt", png(1))
    put(box, "scans/empty.pdf", b"")
    put(box, "scans/large.png", png(1).ljust(20_000_001, b"\0"))
    box.path("scans/link.png").symlink_to("a.png")
    case(box, "b", {"image": [{"file": path}]})
    box.write("prompts/see-v1.0.md", HEAD + "{% block user %}{{ image[0] }}{% endblock %}")
    case(box, "a", {"image": [{"file": "scans/a.png"}]})
    for mode in ("record", "replay"):
        (error,) = box.row3("--mode", mode, "--case", "b", code=2).errors
        assert "golden/scans/b.gold.json field input.image.0" in error
        assert any(each in error for each in says.split("|")), error
    lint = box.row3("lint", code=2).out
    assert "golden/scans/b.gold.json:" in lint and "input.image.0" in lint
    assert stub.bodies == []


def test_an_answer_names_no_files(box: Box, stub: Stub) -> None:
    """What a model says is a text, whatever it looks like."""
    box.write(
        "golden/scans/a.gold.json", json.dumps({"id": "a", "input": {"q": '{"file": "scans/a.png"}'}, "checks": []})
    )
    box.write("prompts/see-v1.0.md", HEAD + "{% block user %}{{ q }}{% endblock %}")
    box.row3("--mode", "record", code=None)
    assert stub.bodies[0]["messages"] == [{"role": "user", "content": '{"file": "scans/a.png"}'}]


def test_the_page_and_the_dry_run_show_files(box: Box) -> None:
    case(box, "e", {"image": {"file": "scans/e.pdf"}}, PDF)
    shown = box.row3("--dry-run", "--mode", "record", "--verbose", code=0).out
    assert "[scans/a.png]" in shown
    plan = json.loads(box.row3("--dry-run", "--mode", "record", "--format", "json", code=0).out)
    (message,) = plan["list"][0]["messages"]
    assert message["files"] == [{"path": "scans/a.png", "mediaType": "image/png", "digest": digest_text(png(1))}]
    box.row3("--baseline", "--mode", "record", code=0)
    box.row3("--compare", "--mode", "replay", code=0)
    page = box.row3("report", "--format", "html", code=0).out
    assert f'src="data:image/png;base64,{base64.b64encode(png(1)).decode()}"' in page
    assert "image: scans/e.pdf" in page and base64.b64encode(PDF)[:30].decode() not in page


def test_a_picture_is_read_from_the_commit_and_the_index(box: Box) -> None:
    box.row3("--baseline", "--mode", "record", code=0)
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    box.git("checkout", "-q", "-b", "work")
    before = json.loads(box.row3("--compare", "--against", "main", "--format", "json", code=None).out)
    assert before["verdict"] == "proceed"
    put(box, "logo.png", png(9))
    box.git("add", "logo.png")
    assert box.row3("hook", "run", "pre-commit", code=0).err == ""  # no case names it
    put(box, "scans/a.png", png(2))
    box.git("add", "scans")
    box.row3("hook", "run", "pre-commit", code=3)
    box.row3("--mode", "auto", code=0)
    after = json.loads(box.row3("--compare", "--against", "main", "--format", "json", code=None).out)
    assert after["verdict"] == "investigate"
    assert [(each["code"], each["subject"]) for each in after["reasons"]] == [("criteria_changed", "case a input")]
    box.git("add", "-A")
    put(box, "scans/a.png", png(3))
    hook = box.row3("hook", "run", "pre-commit", code=0)
    assert "golden case a: input changed" in " ".join(hook.err.split())
    box.git("add", "-A")
    box.row3("hook", "run", "pre-commit", code=3)
