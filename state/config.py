"""One YAML file per setup: graph, sampler, models, agents, cache and run. Unknown keys fail."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from state.evaluate_config import EvaluateConfig
from state.graph_options import GraphOptions
from state.interval import Granularity
from state.model_base import Contract
from state.study_config import PromptVersion, StudyConfig
from state.tdbench_config import TdbenchConfig

SECRET_KEY = re.compile(r"key|token|secret|password|authorization|cookie", re.IGNORECASE)
"""Names under which a value is never shown."""
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_NOT_PARAMS = frozenset(("messages", "model", "response_format", "stream"))
"""What a request sets by other means; as a parameter it would silently replace that, or change the kind of reply."""


class YearNumbering(StrEnum):
    """How a source counts years before 1."""

    ASTRONOMICAL = "astronomical"
    """1 BC is 0."""
    HISTORICAL = "historical"
    """1 BC is -1; there is no year 0."""


class Columns(Contract):
    """Where a table keeps its five fields: a column name, or a position from 0."""

    subject: str | int = 0
    """Column of the subject, an id or a label."""
    relation: str | int = 1
    """Column of the relation."""
    object: str | int = 2
    """Column of the object."""
    start: str | int = 3
    """Column of the first granule."""
    end: str | int = 4
    """Column of the last granule; the same column as `start` for a table of points."""


class LabelTable(Contract):
    """A file that maps ids to labels."""

    path: str
    """The file, plain or gzip."""
    id: str | int = 0
    """Column of the id, by name or position."""
    label: str | int = 1
    """Column of the label, by name or position."""
    header: bool = False
    """Whether the first line names the columns."""
    style: Literal["text", "name"] = "text"
    """`name`: labels are written like `<Athletic_Park>` or, for relations, `<wasBornIn>`, and are read as words."""


class UnknownDates(Contract):
    """Values that mean "not known"."""

    start: tuple[str, ...] = ()
    """Exact texts in the start column."""
    end: tuple[str, ...] = ()
    """Exact texts in the end column."""


class Typing(Contract):
    """Bounds of the relation typing by the share p of facts with `start == end`."""

    point_share: float = Field(default=0.95, ge=0, le=1)
    """A relation with p at least this is a point relation."""
    interval_share: float = Field(default=0.5, ge=0, le=1)
    """A relation with p at most this is an interval relation; between the two it is deleted."""


GraphFormat = Literal[
    "cronkg", "table", "eventkg", "wikidata-json", "wikidata-sparql", "yago4", "yago45", "hyte", "mmkb", "icews", "timelinekgqa",
    "multitq", "chronoqg",
]  # fmt: skip
"""The layouts that are read; docs/graph_formats.md describes them."""


NO_GRAPH = "none"
"""The path of a graph that a config does without: it is about tables, or only its models are wanted."""


class GraphConfig(Contract):
    """The source graph and how to read it."""

    path: str | tuple[str, ...]
    """`bundled:years`, `bundled:days`, a folder in CronKG layout, one or more files, or what `chronoqg graph import` wrote."""
    format: GraphFormat = "cronkg"
    """Layout of the files; what `chronoqg graph import` wrote is known by its content and needs none."""
    granularity: Granularity = Granularity.YEAR
    """The unit of time."""
    year_numbering: YearNumbering | None = None
    """How the source counts years before 1; `None` takes what the format says, and `astronomical` where it says nothing."""
    types: str | None = None
    """File `relation<TAB>P|I|D` that sets relation types by hand; `None` for types from the data alone."""
    typing: Typing = Typing()
    """Bounds of the typing from the data."""
    open_dates: tuple[str, ...] = ("9999-12-31", "9999", "2262-04-11", "3000", "3000-01-01", "..", "INF", "inf")
    """Texts that mean "still holds"."""
    unknown_dates: UnknownDates = UnknownDates()
    """Texts that mean "not known", beside the empty text, `None`, `null`, `nan` and masks."""
    table: Literal["tsv", "csv", "parquet", "jsonl"] | None = None
    """Kind of table; `None` takes it from the file name."""
    header: bool = False
    """Whether the first line of a TSV or CSV names the columns."""
    columns: Columns = Columns()
    """Where the fields stand in a table."""
    entity_labels: LabelTable | None = None
    """Labels of entities; `None`: the table holds labels, which are then the ids too."""
    relation_labels: LabelTable | None = None
    """Labels of relations; `None` as for entities. A relation whose id is an entity's too is written `relation:ID`."""
    entity_aliases: LabelTable | None = None
    """Aliases of entities, one a line."""
    options: GraphOptions = GraphOptions()
    """What single formats can be told."""
    name: str | None = None
    """Name of the source graph in `provenance`; `None` takes the path's last part."""
    licence: str | None = None
    """Licence of the source, kept in the manifest."""
    source: str | None = None
    """Where the source comes from, kept in the manifest."""


class Rules(Contract):
    """The rules of an accepted trace; each can be switched off to study what it keeps out."""

    progress: bool = True
    """Every filter shrinks the candidate set; a transition changes it."""
    temporal_necessity: bool = True
    """Leaving out any one temporal constraint changes the answer set."""
    non_redundancy: bool = True
    """No constraint's candidate set over its pool lies within another's."""
    structural_necessity: bool = True
    """Leaving out the structural filter changes the answer set."""
    sayable: bool = True
    """The question can be said without naming its answer, and names are unique."""
    readable: bool = True
    """Few constraints, no entity twice in a row, no second spell of a fact that is read."""
    plain_reading: bool = True
    """Operators read without their precedence (one-granule intervals) give the same answer, and so does any other spell of a
    candidate: one that meets a constraint, or half of one, that the row's own spell does not, or that is ranked in its place."""
    shared_granule: bool = True
    """Reading before, after and inside with a shared granule let in gives the same answer."""
    not_doubtful: bool = True
    """No choice of the facts dropped in cleaning changes the answer."""


class Quotas(Contract):
    """What the sampler aims at; shares of `sampler.target`, empty maps mean even shares."""

    templates: dict[str, Annotated[float, Field(ge=0, le=1_000_000)]] = {}
    """Share of each template."""
    single: float = Field(default=0.5, ge=0, le=1)
    """Share of single-constraint instances."""
    operators: dict[str, Annotated[float, Field(ge=0, le=1)]] = {}
    """Least number of records with each operator, as a share of the target; 0.015 for those that are left out."""
    ordinal_share_of_single: float = Field(default=0.2, ge=0, le=1)
    """Largest share of ordinals among single-constraint instances."""


class Caps(Contract):
    """Bounds that keep the benchmark diverse and the work finite."""

    seed_min: int = Field(default=5, ge=2)
    """Least size of a root's candidate set."""
    seed_max: int = Field(default=50, ge=2)
    """Largest size of a root's candidate set."""
    max_rows: int = Field(default=1000, ge=1)
    """Rows of a skeleton beyond which it is not used."""
    per_root: int = Field(default=24, ge=1)
    """Records from one root."""
    per_anchor: int = Field(default=60, ge=1)
    """Records that name one entity."""
    per_answer: int = Field(default=12, ge=1)
    """Records with one answer."""
    relation_share: float = Field(default=0.5, gt=0, le=1)
    """Largest share of records whose root has one relation."""
    skeletons_per_root: int = Field(default=6, ge=1)
    """Skeletons drawn from one root for each template."""
    proposals_per_operator: int = Field(default=2, ge=1)
    """Traces proposed from one skeleton for each operator and number of constraints."""
    same_relation_chain_share: float = Field(default=0.05, ge=0, le=1)
    """Largest share of records whose chain repeats one relation throughout."""
    one_granule_boundary_share: float = Field(default=0.05, ge=0, le=1)
    """Largest share of records in which a boundary operator reads a one-granule interval."""
    first_hop_only_share: float = Field(default=0.1, ge=0, le=1)
    """Largest share of records that are single-constraint chains constrained at the first hop."""
    meta_labels: tuple[str, ...] = (
        "date of birth", "date of death", "point in time", "start time", "end time", "significant event", "instance of", "occurrence",
    )  # fmt: skip
    """Labels of relations and entities that no trace may use."""


class SamplerConfig(Contract):
    """How many traces to draw and under which rules."""

    seed: int = Field(default=0, ge=-(2**63), lt=2**63)
    """Seed of every random stream."""
    target: int = Field(default=1000, ge=1, le=1_000_000_000)
    """Number of traces over all cells."""
    workers: int = Field(default=1, ge=1)
    """Processes; the outcome does not depend on it."""
    max_constraints: int = Field(default=4, ge=1, le=6)
    """Most temporal constraints in one trace."""
    rules: Rules = Rules()
    """Rules of an accepted trace."""
    quotas: Quotas = Quotas()
    """Aims."""
    caps: Caps = Caps()
    """Bounds."""


class EvidenceConfig(Contract):
    """What the verifier is shown."""

    max_facts: int = Field(default=150, ge=1)
    """A trace with more evidence is not proposed; evidence is never trimmed."""


class Price(Contract):
    """US dollars for one million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    """Prompt tokens."""
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Prompt tokens from the server's cache; `None`: as `input`."""
    output: float = Field(ge=0, allow_inf_nan=False)
    """Completion tokens, reasoning included."""


def _is_http_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port  # reading it checks it
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and " " not in text


class ModelConfig(Contract):
    """One model, by the name under which the roles call it."""

    provider: Literal["openai", "offline-rules"]
    """`openai` speaks to any server of that protocol; `offline-rules` needs no server."""
    model: str | None = None
    """Name of the model on its server; required for `openai`."""
    base_url: str | None = None
    """Address of the server; `None` for OpenAI's own."""
    api_key_env: str | None = None
    """Environment variable that holds the key; `None` sends a dummy."""
    headers_env: dict[str, str] = {}
    """Extra header -> environment variable that holds its value."""
    params: dict[str, Any] = {}
    """Parameters of the request, such as `temperature`."""
    omit_params: tuple[str, ...] = ()
    """Parameters never to send."""
    token_limit: int | None = Field(default=None, ge=1)
    """Most completion tokens of a reply; `None` sends no limit."""
    token_limit_name: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """Name under which the limit is sent."""
    structured_output: Literal["auto", "json_schema", "prompt"] = "json_schema"
    """How a structured reply is asked for: by schema, by prompt, or by schema where the server takes it."""
    concurrency: int = Field(default=8, ge=1)
    """Requests in flight."""
    rpm: int | None = Field(default=None, ge=1)
    """Requests a minute; `None` for no bound."""
    tpm: int | None = Field(default=None, ge=1)
    """Tokens a minute; `None` for no bound."""
    timeout_s: float = Field(default=120, gt=0, allow_inf_nan=False)
    """Seconds before a request is given up."""
    patience_s: float = Field(default=900, gt=0, allow_inf_nan=False)
    """Seconds for which a server that only fails is waited for before the run stops, to be continued later."""
    price: Price | None = None
    """Price; `None` for a model that costs nothing or whose price is not known."""

    @model_validator(mode="before")
    @classmethod
    def _no_literal_key(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for where, names in (("", data), (".params", data.get("params"))):
                for name in names if isinstance(names, dict) else ():
                    plain = str(name).lower().replace("-", "_")
                    if plain in {"api_key", "apikey", "authorization", "token", "secret", "password", "headers", "extra_headers"}:
                        raise ValueError(
                            f"{where}{'.' if where else ''}{name}: a key does not belong in a config; "
                            "name its variable in api_key_env or headers_env"
                        )
        return data

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, base_url: str | None) -> str | None:
        if base_url is not None and not _is_http_address(base_url):
            raise ValueError("this is not an address of the form http://HOST:PORT/PATH or https://HOST/PATH")
        return base_url

    @field_validator("headers_env")
    @classmethod
    def _have_names_of_headers(cls, headers_env: dict[str, str]) -> dict[str, str]:
        if not all(map(_HEADER.match, headers_env)):
            raise ValueError("a header's name has letters, digits and hyphens only")
        return headers_env

    @field_validator("params")
    @classmethod
    def _are_json_and_free(cls, params: dict[str, Any]) -> dict[str, Any]:
        for name in sorted(_NOT_PARAMS & params.keys()):
            raise ValueError(f"{name} is no parameter to set here")
        if type(params.get("n", 1)) is not int or params.get("n", 1) < 1:
            raise ValueError("n must be a whole number from 1")
        try:
            json.dumps(params, allow_nan=False)
        except (TypeError, ValueError) as err:
            raise ValueError("parameters must be values that JSON can hold") from err
        return params

    @model_validator(mode="after")
    def _openai_names_its_model(self) -> ModelConfig:
        if self.provider == "openai" and self.model is None:
            raise ValueError("provider openai needs the model's name on its server under 'model'")
        return self


class RoleConfig(Contract):
    """Which model plays a role, with which prompt."""

    model: str = "offline"
    """A name under `models`."""
    prompt: PromptVersion = "v1"
    """Version of the prompt: a file stem under `prompts/<role>/`."""


class VerifierConfig(RoleConfig):
    """The verifier's model, prompt and modes."""

    modes: tuple[Literal["all", "single", "roundtrip"], ...] = ("all",)
    """`all`: name every entity that fits; `single`: the paper's mode; `roundtrip`: code compares what the round-trip reader reads.

    Asked in this order; all must agree. What the reader finds is told to analyst and reviser, wherever it stands.
    """

    @field_validator("modes")
    @classmethod
    def _some_mode_once(cls, modes: tuple[str, ...]) -> tuple[str, ...]:
        if not modes or len(set(modes)) != len(modes):
            raise ValueError("name each verifier mode once, at least one")
        return modes


class AgentsConfig(Contract):
    """The roles."""

    rewriter: RoleConfig = RoleConfig()
    """Turns the template question into English."""
    verifier: VerifierConfig = VerifierConfig()
    """Answers the question from the evidence."""
    appeal: RoleConfig | None = None
    """A second verifier, asked when the analyst blames the first; `None`: no appeal."""
    error_analyst: RoleConfig = RoleConfig()
    """Says why verification failed."""
    reviser: RoleConfig = RoleConfig()
    """Repairs the question."""
    leak_rewriter: RoleConfig = RoleConfig()
    """Takes a leaked answer out of the question."""
    round_trip_reader: RoleConfig | None = None
    """Says which temporal constraints the question states; plays the verifier's mode `roundtrip`, which needs it."""
    retries: int = Field(default=2, ge=0, le=10)
    """How often a role is asked again after an unusable reply."""
    require_names: bool = True
    """Whether a question must hold the label or an alias of every anchor and reference."""

    @model_validator(mode="after")
    def _somebody_reads(self) -> AgentsConfig:
        if "roundtrip" in self.verifier.modes and self.round_trip_reader is None:
            raise ValueError("the verifier's mode 'roundtrip' needs a model under agents.round_trip_reader.model")
        return self


class CacheConfig(Contract):
    """The cache of replies, shared by all runs."""

    path: str = "runs/output/cache"
    """Folder."""


class PromptsConfig(Contract):
    """Where prompts are read from."""

    path: str | None = None
    """Folder `<role>/<version>.md`; `None` for the prompts of the package."""


class RunConfig(Contract):
    """How instances go through the agents."""

    concurrency: int = Field(default=8, ge=1)
    """Instances in flight."""
    budget_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Most US dollars that the run may spend; `None` for no cap."""
    limit: int | None = Field(default=None, ge=1)
    """First traces in id order to take; `None` for all."""


class Config(Contract):
    """A whole setup."""

    dataset: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    """Name of the benchmark and of its files."""
    graph: GraphConfig
    """The source graph."""
    sampler: SamplerConfig = SamplerConfig()
    """The sampler."""
    evidence: EvidenceConfig = EvidenceConfig()
    """The verifier's evidence."""
    models: dict[str, ModelConfig] = {"offline": ModelConfig(provider="offline-rules")}
    """Models by name."""
    agents: AgentsConfig = AgentsConfig()
    """The roles."""
    cache: CacheConfig = CacheConfig()
    """The cache."""
    prompts: PromptsConfig = PromptsConfig()
    """The prompts."""
    run: RunConfig = RunConfig()
    """The run."""
    study: StudyConfig = StudyConfig()
    """What `chronoqg study` asks; no other command reads it."""
    evaluate: EvaluateConfig = EvaluateConfig()
    """What `chronoqg evaluate` scores; no other command reads it."""
    tdbench: TdbenchConfig = TdbenchConfig()
    """Temporal tables and what `chronoqg tdbench` asks of them; no other command reads it."""
