"""Lessons from regressions: note them, send them to a memory server, keep them for prompts, search them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from row3.domain.asks import cosine
from row3.domain.calls import Call, Stage, UnknownPlaceholderError, filled
from row3.domain.requests import NoAnswer
from row3.domain.words import did_you_mean
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.gate.lessons import Lesson, lesson_of, ranked
from row3.gate.results import Comparison
from row3.project.config import LessonsMcpConfig
from row3.project.files import write_atomic
from row3.project.lessons import FILE, kept_file, lessons_text, read_noted
from row3.project.local_state import in_local, local_folder
from row3.project.places import FILE as CONFIG
from row3.project.project import Project
from row3.project.transaction import commit, writing
from row3.project.trusted_code import code_of
from row3.providers.base import Access
from row3.running.session import CommandOptions

MEMORY_ARGUMENTS = ("information", "tags", "metadata")
"""Default arguments of the memory's tool (STRATEGY)."""


class Found(NamedTuple):
    """A lesson, and whether prompts may show it."""

    lesson: Lesson
    kept: bool


def note_lessons(
    project: Project, command: CommandOptions, say: Callable[[str], None], comparisons: Sequence[Comparison]
) -> None:
    """Note the lesson of each comparison that a regression blocks, and send new ones on. Never fails a command."""
    found = [lesson for each in comparisons if (lesson := lesson_of(each)) is not None]
    if not found:
        return
    try:
        new = _added(project, say, found)
    except Row3Error as error:
        say(f"no lesson was noted: {error}")
        return
    mcp = project.config.lessons.mcp
    if new and mcp is not None and command.may_write:  # in CI a pull request could choose the command
        try:
            import asyncio  # slow to import, and few projects need it

            suite = project.suite(found[0].suite, "replay")
            project.check_code(suite.name, code_of(project.config, suite))
            asyncio.run(_send(project, mcp, new))
        except Exception as error:  # servers fail in many ways, and the lesson is already saved
            say(f"a lesson was not sent to `{mcp.command}`, only saved in .row3/{FILE}: {error}")


def _added(project: Project, say: Callable[[str], None], lessons: Sequence[Lesson]) -> list[Lesson]:
    """Save the lessons that are new, and return them. Raises `InvalidFile`, `EnvironmentFault`."""
    local = local_folder(project.local)
    with writing(project.root, say=say):
        noted = read_noted(local)
        known = {each.id for each in noted}
        new = [each for each in lessons if each.id not in known]
        if new:
            write_atomic(in_local(local, FILE), lessons_text([*noted, *new]), where=f".row3/{FILE}")
    return new


async def _send(project: Project, mcp: LessonsMcpConfig, lessons: Sequence[Lesson]) -> None:
    """Call the memory's tool for each lesson. Raises what `McpServer` raises, `InvalidFile`."""
    from row3.providers.mcp_server import McpServer
    from row3.providers.system import Question

    template = {name: f"{{{name}}}" for name in MEMORY_ARGUMENTS} if mcp.arguments is None else mcp.arguments
    stage = Stage("mcp", "1.0", Call(tool=mcp.tool, arguments=template))
    server = McpServer(Access(command=(mcp.command, *mcp.args)), stage, (), root=project.root, environ=os.environ)
    try:
        await server.prepare()
        for each in lessons:
            values = {
                "id": each.id,
                "information": each.information,
                "tags": ",".join(each.tags),
                "metadata": json.dumps(each.metadata.plain()),
            }
            try:
                arguments = filled(template, values)
            except UnknownPlaceholderError as error:
                where = f"{CONFIG} field lessons.mcp.arguments"
                raise InvalidFile(str(error), where=where, fix="Correct it") from None
            await server.call(Question(mcp.tool, arguments, (), ""))
    finally:
        await server.close()


def find_lessons(project: Project, suite: str | None, query: str, *, semantic: bool) -> list[Found]:
    """Return noted and kept lessons of a suite, or of all: newest first, or those that match a query, best first.

    Raises `InvalidFile`, `MissingExtra`.
    """
    kept = [each for name in project.suite_names() for each in project.lessons(name)]
    by_id = {each.id: Found(each, kept=True) for each in kept}
    for each in read_noted(project.local):
        by_id[each.id] = Found(each, kept=each.id in by_id)
    found = [each for each in by_id.values() if suite is None or each.lesson.suite == suite]
    found.sort(key=lambda each: (each.lesson.metadata.timestamp, each.lesson.id), reverse=True)
    if not query:
        return found
    texts = ["\n".join([each.lesson.information, *each.lesson.common]) for each in found]
    import asyncio

    places = asyncio.run(_by_meaning(texts, query)) if semantic else ranked(texts, query)
    return [found[place] for place in places]


async def _by_meaning(texts: Sequence[str], query: str) -> list[int]:
    """Return the texts' indexes, nearest in meaning to the query first. Raises `MissingExtra`, `UsageError`."""
    from row3.providers.minilm import LocalEmbedder

    embedder = LocalEmbedder()
    try:
        vectors = await embedder.embed([query, *texts])
    finally:
        await embedder.close()
    if isinstance(vectors, NoAnswer):
        raise UsageError(vectors.error, where="--semantic", fix="Leave it out")
    asked, *others = map(tuple, vectors)
    return sorted(range(len(others)), key=lambda place: -cosine(asked, others[place]))


def keep_lessons(project: Project, ids: Sequence[str], suite: str | None = None) -> dict[str, list[Lesson]]:
    """Add noted lessons, all or the ones in `ids`, to `lessons/<suite>.jsonl`; return the new ones by file.

    Their `common` items are dropped, since these may reveal what golden cases expect. Raises `UsageError`,
    `InvalidFile`, `EnvironmentFault`.
    """
    with writing(project.root):
        now = project.on_disk()
        noted = {each.id: each for each in read_noted(project.local) if suite in (None, each.suite)}
        for each in ids:
            if each not in noted:
                fix = did_you_mean(each, noted, "See `row3 lessons`")
                raise UsageError(f"no lesson `{each}` in .row3/{FILE}", where="ID", fix=fix)
        added: dict[str, list[Lesson]] = {}
        files: dict[str, bytes] = {}
        for name in dict.fromkeys(each.suite for each in noted.values()):
            kept = now.lessons(name)
            known = {each.id for each in kept}
            mine = [noted[each] for each in ids or noted if noted[each].suite == name and each not in known]
            if new := [each.replace(common=[]) for each in mine]:
                added[kept_file(name)] = new
                files[kept_file(name)] = lessons_text([*kept, *new]).encode()
        if files:
            commit(project.root, files)
    return added
