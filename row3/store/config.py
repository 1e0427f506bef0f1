"""`row3.toml`: every key has a default, unknown keys are errors that name the near miss."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from row3.errors import InvalidFile
from row3.gate.policy import PolicyName
from row3.matching.semantic_rule import THRESHOLD
from row3.store.documents import validate
from row3.store.system_config import CommandConfig, McpConfig, PythonConfig
from row3.store.tree import Tree, read_text
from row3.store.unbuilt import made

Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Points = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Mode = Literal["replay", "live", "record", "auto"]
LintSizes = Literal["error", "warning", "off"]
SuiteName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
FILE = "row3.toml"


class _Section(BaseModel):
    # Built where they are used, as parts of the whole: on its own each would be built twice. Strict, since TOML has
    # types of its own: a limit of `true` or "5" is a slip, and to read it as a number would hide it.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)


class ThresholdConfig(_Section):
    """Where the zones of a metric begin, as fractions; what is left out is as it was."""

    minimum: Fraction | None = Field(default=None, description="Worse than this fails.")
    target: Fraction | None = Field(default=None, description="At least this good passes.")
    excellent: Fraction | None = Field(default=None, description="At least this good is excellent.")
    blocking: bool | None = Field(default=None, description="Whether the fail zone blocks; false: it only warns.")


class SemanticConfig(_Section):
    """Names in other words, found by their embeddings."""

    model: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,120}$")] = Field(
        description="`local`, or a model of an endpoint for embeddings."
    )
    threshold: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = THRESHOLD
    base_url: str | None = Field(default=None, description="Where the model is served; default: the provider's.")
    key_variable: str | None = Field(default=None, description="Name of the environment variable with the key.")


class MatchingConfig(_Section):
    """How names are compared."""

    scorer: Literal["levenshtein", "jaro-winkler", "ratio", "token-sort", "token-set"] = "levenshtein"
    threshold: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.85
    semantic: SemanticConfig | None = Field(default=None, description="By meaning too; off without this table.")


class PredicatesConfig(_Section):
    """Predicates beyond the defaults."""

    allowed: list[str] | None = Field(default=None, description="What an answer may use; [] for any.")
    symmetric: list[str] = Field(default=[], description="Added to the default symmetric predicates.")
    inverse: dict[str, str] = Field(default={}, description="Added to the default pairs: predicate = its inverse.")


class GateConfig(_Section):
    """When a comparison blocks."""

    unit: Literal["points", "relative"] = "points"
    block: Points = Field(default=5.0, description="Worse by more than this blocks.")
    investigate: Points = Field(default=1.0, description="Worse by this or more is to be investigated.")
    metrics: list[str] | None = Field(
        default=None, description="Metrics that can block; default: the kind's headline ones."
    )
    declines: Annotated[int, Field(ge=2)] = Field(
        default=3, description="Consecutive declining runs that are announced."
    )
    policy: PolicyName = Field(
        default="evidence",
        description="`evidence`: metrics other than the composite block only where the drop is more than noise; "
        "`fixed`: all block beyond the limit; `paired`: the interval decides.",
    )
    inconclusive: Literal["investigate", "block"] = Field(
        default="investigate", description="What `paired` says where the interval shows neither."
    )
    fail: str = Field(default="", description="Limits of single metrics: `overall:5,recall:3,hallucination:0`.")
    informational: bool = Field(default=False, description="Report, and never block.")


class LiveConfig(_Section):
    """What holds in mode `live` in the place of the suite's own settings, key by key."""

    thresholds: dict[str, ThresholdConfig] = {}
    gate: GateConfig = GateConfig.model_construct()


class ProviderConfig(_Section):
    """A model that answers prompts. The key comes from the environment only."""

    type: Literal["chat"] = "chat"
    preset: str = "openai"
    base_url: str | None = None
    key_variable: str | None = Field(default=None, description="Name of the environment variable with the key.")
    model: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    seed: int | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_retries: Annotated[int, Field(ge=0, le=20)] | None = None


def _type_of(value: Any) -> str:
    found = value.get("type", "chat") if isinstance(value, dict) else getattr(value, "type", "chat")
    return str(found)


SuiteProvider = Annotated[
    Annotated[ProviderConfig, Tag("chat")]
    | Annotated[McpConfig, Tag("mcp")]
    | Annotated[CommandConfig, Tag("command")]
    | Annotated[PythonConfig, Tag("python")],
    Discriminator(
        _type_of,
        custom_error_type="provider_type",
        custom_error_message="`type` is not 'chat', 'mcp', 'command' or 'python'",
    ),
]


class PriceConfig(_Section):
    """US dollars for a million tokens."""

    input: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    output: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SuiteConfig(_Section):
    """Golden cases of one kind with what answers them and how they are judged."""

    kind: str = "extraction"
    golden: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}(/[a-z0-9][a-z0-9_-]{0,63}){0,4}$")] | None = Field(
        default=None, description="Folder of its golden cases under golden/; default: the suite's name."
    )
    pipeline: list[str] = Field(default=[], description="Prompt names in order; default: by the prompts there are.")
    provider: SuiteProvider | None = Field(
        default=None, description="Overrides [provider], key by key; or, with a `type`, another system that answers."
    )
    weights: dict[str, Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]] = {}
    thresholds: dict[str, ThresholdConfig] = {}
    types: list[str] | None = Field(
        default=None, description="Types of concepts that answers are asked for; [] for any. Default: none is asked."
    )
    matching: MatchingConfig = MatchingConfig.model_construct()
    predicates: PredicatesConfig = PredicatesConfig.model_construct()
    gate: GateConfig = GateConfig.model_construct()
    lint_sizes: LintSizes = Field(
        default="error",
        description="What `row3 lint` makes of cases and suites of another size than usual; off: it does not look.",
    )
    live: LiveConfig = Field(default=LiveConfig.model_construct(), description="What is otherwise in mode `live`.")


class Config(_Section):
    """The whole of `row3.toml`."""

    schema_version: Annotated[int, Field(ge=1)] = 1
    suite: SuiteName | None = Field(default=None, description="The default suite.")
    mode: Mode = "auto"
    jobs: Annotated[int, Field(ge=1, le=256)] | None = Field(
        default=None, description="Requests at once; replay: processes."
    )
    protected_branch: str | None = Field(
        default=None, description="What the hook compares with; default: origin's head, main or master."
    )
    provider: ProviderConfig = ProviderConfig.model_construct()
    prices: dict[str, PriceConfig] = {}
    suites: dict[SuiteName, SuiteConfig] = {}


CONFIG_SCHEMA_VERSION = 1


def read_config(tree: Tree) -> Config:
    """Return the project's configuration; the defaults where there is no file. Raises `InvalidFile`."""
    if not tree.exists(FILE):
        return made(Config)
    where = tree.place(FILE)
    text = read_text(tree, FILE)
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidFile(f"not TOML: {error}", where=where, fix="Correct the file") from None
    version = value.get("schema_version", 1)
    if isinstance(version, int) and version > CONFIG_SCHEMA_VERSION:
        raise InvalidFile(
            f"schema_version {version} is newer than this row3 knows ({CONFIG_SCHEMA_VERSION})",
            where=where,
            fix="Upgrade row3",
        )
    return validate(Config, value, where=where, command="row3 lint")
