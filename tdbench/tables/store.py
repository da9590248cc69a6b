"""Temporal tables out of files and databases, cleaned, in one DuckDB database in memory. Paper: TDBench, section 3."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType

import duckdb

from state.errors import ConfigError, TableError, did_you_mean
from state.tdbench_config import TableConfig
from tdbench.table import TemporalTable
from tdbench.tables.cleaning import load
from tdbench.tables.csv_file import read_csv
from tdbench.tables.parquet_file import read_parquet
from tdbench.tables.postgres import read_postgres
from tdbench.tables.report import TableReport
from tdbench.tables.source import SourceKind, SourceTable
from tdbench.tables.sqlite_file import read_sqlite

BUNDLED = "bundled:"
"""Prefix of the tables that the package carries."""
_SUFFIXES: dict[str, SourceKind] = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet",
    ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".db3": "sqlite",
}  # fmt: skip
_MAGIC: dict[bytes, SourceKind] = {b"SQLite format 3\0": "sqlite", b"PAR1": "parquet"}
_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",  # a name that is no table's is an error, not a variable of the caller
    "temp_directory": "",
}


@dataclass(frozen=True)
class TemporalDatabase:
    """The tables, and the database that holds them; leaving its `with` block closes it."""

    connection: duckdb.DuckDBPyConnection
    """DuckDB in memory, without access to files and network."""
    tables: dict[str, TemporalTable]
    """The tables by name, in the config's order."""
    reports: dict[str, TableReport]
    """What became of each table's rows."""

    def __enter__(self) -> TemporalDatabase:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.connection.close()


def open_tables(tables: Mapping[str, TableConfig], environ: Mapping[str, str], *, threads: int = 1) -> TemporalDatabase:
    """Reads and cleans the tables; those of one database are read in one transaction.

    Args:
        tables: the config's tables by name.
        environ: where the PostgreSQL addresses stand.
        threads: what DuckDB may use.

    Raises:
        ConfigError: the config does not fit a source.
        TableError: a source is refused.
    """
    names: dict[str, str] = {}
    for name in tables:
        if name.lower() in names:
            remedy = "SQL takes no notice of case: rename one."
            raise ConfigError(f"tables {names[name.lower()]!r} and {name!r} cannot be told apart", where="tdbench.tables", remedy=remedy)
        names[name.lower()] = name
    sources = _read(tables, environ, threads)
    connection = duckdb.connect(":memory:", config={**_SETTINGS, "threads": str(threads)})
    try:
        loaded = {name: load(connection, name, sources.pop(name), config) for name, config in tables.items()}
        connection.execute("SET enable_external_access = false")
    except BaseException:
        connection.close()
        raise
    return TemporalDatabase(
        connection, {name: table for name, (table, _) in loaded.items()}, {name: report for name, (_, report) in loaded.items()}
    )


def _read(tables: Mapping[str, TableConfig], environ: Mapping[str, str], threads: int) -> dict[str, SourceTable]:
    """Our name of each table -> what its source holds."""
    tables = {name: _resolved(name, config) for name, config in tables.items()}
    sources: dict[str, SourceTable] = {}
    databases: defaultdict[tuple[SourceKind, str], dict[str, str | None]] = defaultdict(dict)
    for name, config in tables.items():
        kind = _kind(name, config)
        where = f"tdbench.tables.{name}"
        if kind in ("csv", "parquet") and config.table is not None:
            raise ConfigError(f"table {config.table!r} in a {kind} file, which is one table", where=where, remedy="Leave table out.")
        if kind == "csv":
            sources[name] = read_csv(Path(str(config.path)))
        elif kind == "parquet":
            sources[name] = read_parquet(Path(str(config.path)), threads=threads)
        else:
            databases[kind, str(config.path or config.url_env)][name] = config.table
    for (kind, place), wanted in databases.items():
        if kind == "sqlite":
            sources |= read_sqlite(Path(place), wanted)
        elif address := environ.get(place):  # an empty one would mean any server that listens here
            sources |= read_postgres(address, place, wanted)
        else:
            raise ConfigError(
                "this environment variable is not set", where=place, remedy="Set it to the address of the PostgreSQL database."
            )
    return sources


def _resolved(name: str, config: TableConfig) -> TableConfig:
    """The table with the file that `bundled:NAME` stands for."""
    if config.path is None or not config.path.startswith(BUNDLED):
        return config
    folder, wanted = Path(str(files("tdbench") / "data")), config.path.removeprefix(BUNDLED)
    known = sorted(file.stem for file in folder.glob("*.csv"))
    if wanted not in known:
        remedy = did_you_mean(wanted, known)
        raise ConfigError(f"the package carries no table {wanted!r}", where=f"tdbench.tables.{name}.path", remedy=remedy)
    return config.model_copy(update={"path": str(folder / f"{wanted}.csv")})


def _kind(name: str, config: TableConfig) -> SourceKind:
    """The config's kind of source, or that of the file's name, or of its first bytes."""
    where = f"tdbench.tables.{name}"
    if config.path is None:
        if config.source not in (None, "postgres"):
            raise ConfigError(f"source {config.source} with url_env", where=where, remedy="A file is named under path.")
        return "postgres"
    if config.source == "postgres":
        raise ConfigError("source postgres with path", where=where, remedy="Name the variable of its address under url_env.")
    path = Path(config.path)
    if not path.is_file():
        remedy = f"Look at {where}.path; a path is taken from the current folder."
        raise TableError("no such file" if not path.exists() else "not a file", where=str(path), remedy=remedy)
    if config.source is not None:
        return config.source
    suffix = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    if suffix.lower() in _SUFFIXES:
        return _SUFFIXES[suffix.lower()]
    with path.open("rb") as file:
        start = file.read(max(map(len, _MAGIC)))
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    raise ConfigError(f"the name of {path} does not tell its kind", where=where, remedy="Set source to csv, parquet or sqlite.")
