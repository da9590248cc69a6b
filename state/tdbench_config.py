"""The `tdbench` section of a config: temporal tables and what is asked of them. Paper: TDBench, sections 3 and 4."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from state.interval import Granularity
from state.model_base import Contract
from state.tdbench_evaluate_config import TdbenchEvaluateConfig

TableName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,62}$")]
"""How a table is called in questions, files and SQL; it need not be called so in its source."""


def _is_sayable(word: str) -> str:
    if not word.strip() or not word.isprintable():
        raise ValueError("say it in words that can stand in a question")
    return word


Word = Annotated[str, AfterValidator(_is_sayable)]
"""What a question calls a column."""


class Dependency(Contract):
    """A temporal functional dependency X ->T Y: rows that agree on X and overlap in time agree on Y."""

    determinants: tuple[str, ...] = Field(min_length=1, max_length=3)
    """Columns of X."""
    dependent: str
    """The column Y."""

    @model_validator(mode="after")
    def _is_not_trivial(self) -> Dependency:
        if len(set(self.determinants)) != len(self.determinants) or self.dependent in self.determinants:
            raise ValueError("name each column once")
        return self


class TableConfig(Contract):
    """One temporal table."""

    path: str | None = None
    """A CSV, Parquet or SQLite file, or `bundled:NAME` for one that the package carries; `None` of a PostgreSQL table."""
    source: Literal["csv", "parquet", "sqlite", "postgres"] | None = None
    """Kind of source; `None` takes it from the file name."""
    table: str | None = None
    """Name of the table, or of a view, in an SQLite or PostgreSQL database, as `schema.table` if need be."""
    url_env: str | None = None
    """Environment variable that holds a PostgreSQL address; the address itself does not belong in a config."""
    start: str | None = None
    """Column of the first granule; `None` to guess it."""
    end: str | None = None
    """Column of the end; `None` to guess it."""
    granularity: Granularity | None = None
    """Unit of time; `None` takes the finest that all dates have."""
    ends: Literal["exclusive", "inclusive"] = "exclusive"
    """Whether a row still holds in the granule of its end: half-open rows do not, and hand over to the next there."""
    open_end: Literal["ongoing", "unknown"] = "ongoing"
    """What a missing end means: the row holds still, or nobody knows until when it held."""
    open_dates: tuple[str, ...] = ("9999-12-31", "9999", "2262-04-11", "now", "present")
    """Texts that mean a missing end, beside the empty text, `NULL`, `None`, `nan` and `NaT`."""
    keys: tuple[str, ...] = ()
    """Columns that name the rows' things; empty: those of the dependencies."""
    glossary: dict[str, Word] = {}
    """Column -> what it is called in a question; others are called by their names."""
    domain: str | None = None
    """Whose figures are told apart in an evaluation; `None` for the table's name."""
    dependencies: tuple[Dependency, ...] = ()
    """Those that questions are made of; empty: the ones that are found."""
    require_support: bool = True
    """Refuse a declared dependency whose right side never changes over time; `false` asks what is so now, and what was not."""

    @model_validator(mode="after")
    def _comes_from_somewhere(self) -> TableConfig:
        if (self.path is None) == (self.url_env is None):
            raise ValueError("name a file under path, or the variable of a PostgreSQL address under url_env")
        return self


class JoinConfig(Contract):
    """Tables whose rows are put together where they hold at one time, for questions that need facts of each."""

    tables: tuple[TableName, ...] = Field(min_length=2, max_length=3)
    """The tables; a question gives what names a row of the first, and asks for a column of the last."""
    on: dict[TableName, dict[str, str]] = {}
    """Second or third table -> its column -> the column of a table before it that says the same. A table that is not
    here is joined on all columns of equal names, whatever their case."""
    given: tuple[tuple[str, ...], ...] = ()
    """Columns of the first table that together name one row of it, each set for questions of its own; empty: the
    sets of one or two that do, as `docs/tdbench_joins.md` says."""
    glossary: dict[str, Word] = {}
    """Column of the joined table -> what it is called in a question; others are called as in their tables."""

    @model_validator(mode="after")
    def _names_tables_once(self) -> JoinConfig:
        if len(set(self.tables)) != len(self.tables):
            raise ValueError("name each table once")
        if unknown := sorted(set(self.on) - set(self.tables[1:])):
            raise ValueError(f"on: {unknown[0]!r} is not the second or third of the tables")
        if any(not columns for columns in (*self.on.values(), *self.given)):
            raise ValueError("name at least one column")
        return self


class TdbenchConfig(Contract):
    """What `chronoqg tdbench` asks of temporal tables."""

    tables: dict[TableName, TableConfig] = {}
    """The tables by name."""
    joins: dict[TableName, JoinConfig] = {}
    """Tables made of those by temporal natural joins, by a name of their own."""
    as_of: str | None = None
    """The day, in ISO form, that `now` means; without it nothing that holds still is asked for. No clock is read."""
    semantics: Literal["strict", "tdbench"] = "strict"
    """`strict`: the thirteen relations exclude one another; `tdbench`: the published conditions, their faults mended."""
    relations: tuple[str, ...] = ()
    """Relations to ask; empty: all thirteen."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """Seed of every choice."""
    per_relation: int = Field(default=100, ge=1)
    """Most questions of one relation, table and cardinality before the balance over cardinalities."""
    per_cardinality: int = Field(default=150, ge=1)
    """Most questions of one table with no, one, or several answers."""
    most_lookups: int = Field(default=500, ge=1)
    """Most `now` questions, and most lookups without a time, of one table; most questions of a join with as many hops."""
    most_answers: int = Field(default=5, ge=1)
    """A question with more answers is dropped."""
    paraphrases: int = Field(default=3, ge=1, le=9)
    """Phrasings of each question; the first ones count for the translator's accuracy."""
    limit: int | None = Field(default=None, ge=1)
    """Most questions to take into English, drawn evenly over tables and relations; `None` for all."""
    foils: int = Field(default=12, ge=0, le=100)
    """Rows of other things that the verifier is shown beside all rows of the one that is asked about."""
    most_rows: int = Field(default=150, ge=1)
    """A question about a thing with more rows is not asked: they would not fit before a reader."""
    min_support: int = Field(default=3, ge=1)
    """Things of which Y changes over time that a dependency needs to be found; fewer may be chance. Declared ones need one."""
    tolerance: float = Field(default=0.0, ge=0, lt=1)
    """Share of the pairs of rows that agree on X, at whatever time, that may break a dependency that is found."""

    evaluate: TdbenchEvaluateConfig = TdbenchEvaluateConfig()
    """What `chronoqg tdbench evaluate` asks and scores; no other command reads it."""

    @field_validator("relations")
    @classmethod
    def _each_once(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(values)) != len(values):
            raise ValueError("name each once")
        return values
