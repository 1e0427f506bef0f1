"""Wraps providers and embedders: refuses to send secrets, and hides them in answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from row3.domain.requests import Answer, NoAnswer, Request, canonical
from row3.domain.secrets import Guard
from row3.errors import Row3Error, UsageError
from row3.providers.base import Embedder, Provider

FIX = "remove it; if a key was in a file, revoke it"


class GuardedProvider:
    """Refuses requests that contain a secret; hides secrets in answers, faults and errors."""

    def __init__(self, provider: Provider, guard: Guard) -> None:
        self._provider, self._guard = provider, guard

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._guard.clean(self._provider.name)

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask`. Also raises `UsageError` for a secret in the request."""
        guard = self._guard
        check_request(request, guard)
        with _cleaned_errors(guard):
            answer = await self._provider.ask(request)
        if isinstance(answer, NoAnswer):
            return NoAnswer(guard.clean(answer.error), guard.clean(answer.fix))
        return cleaned(answer, guard)

    async def close(self) -> None:
        """Close the provider."""
        await self._provider.close()


class GuardedEmbedder:
    """Does the same for embeddings; `case_with` names the case that contains a secret."""

    def __init__(self, embedder: Embedder, guard: Guard, case_with: Callable[[Guard], str]) -> None:
        self._embedder, self._guard, self._case_with = embedder, guard, case_with

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """Return one vector per text; see `Embedder.embed`. Also raises `UsageError` for a secret in a text."""
        if variable := next(filter(None, map(self._guard.found, texts)), ""):
            what = f"a text to embed contains the value of {variable}, so it is not sent"
            raise UsageError(what, where=self._case_with(self._guard), fix=FIX)
        with _cleaned_errors(self._guard):
            found = await self._embedder.embed(texts)
        return NoAnswer(self._guard.clean(found.error), found.fix) if isinstance(found, NoAnswer) else found

    async def close(self) -> None:
        """Close the embedder."""
        await self._embedder.close()


def check_request(request: Request, guard: Guard) -> None:
    """Raise `UsageError`, naming the case or prompt, if a request contains a secret."""
    if not guard:
        return
    sent = (*request.texts, request.model, request.schema_name, canonical(request.schema), canonical(request.extra))
    if variable := guard.found("\n".join(sent)):
        of_case = request.case_id and guard.found(canonical(request.variables))
        where = f"case `{request.case_id}`" if of_case else f"prompt {request.prompt}"
        raise UsageError(f"the request contains the value of {variable}, so it is not sent", where=where, fix=FIX)


def cleaned(answer: Answer, guard: Guard) -> Answer:
    """Return an answer with its secrets hidden."""
    return answer._replace(
        text=guard.clean(answer.text),
        finish_reason=guard.clean(answer.finish_reason),
        served_model=None if answer.served_model is None else guard.clean(answer.served_model),
    )


@contextmanager
def _cleaned_errors(guard: Guard) -> Iterator[None]:
    try:
        yield
    except Row3Error as error:
        what, where, fix = map(guard.clean, (error.what, error.where, error.fix))
        if (what, where, fix) == (error.what, error.where, error.fix):
            raise
        raise type(error)(what, where=where, fix=fix) from None
