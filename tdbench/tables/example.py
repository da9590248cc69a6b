"""The example database that ships: Games and their hosts, leaders, heads of organisations, and laws by country."""

from __future__ import annotations

from importlib.resources import files

from state.interval import Granularity
from state.tdbench_config import Dependency, JoinConfig, TableConfig

AS_OF = "2025-06-30"
"""The day as of which the example holds: a row without an end held then."""


def example_tables() -> dict[str, TableConfig]:
    """The example's tables, with the dependencies that hold in them; `tdbench/data/README.md` says how they were made."""
    folder = files("tdbench") / "data"

    def table(name: str, dependencies: dict[tuple[str, ...], str], **settings: object) -> TableConfig:
        rules = tuple(Dependency(determinants=columns, dependent=column) for columns, column in dependencies.items())
        return TableConfig.model_validate({"path": str(folder / f"{name}.csv"), "dependencies": rules, "domain": name, **settings})

    return {
        "games": table("games", {("season",): "city"}, ends="inclusive", granularity=Granularity.DAY),
        "leaders": table("leaders", {("country", "role"): "name"}, granularity=Granularity.DAY),
        "organisations": table("organisations", {("organisation", "role"): "name"}, granularity=Granularity.MONTH),
        "laws": table("laws", {("country", "law"): "status"}, granularity=Granularity.YEAR),
    }


def example_joins() -> dict[str, JoinConfig]:
    """The example's join: who held an office in the host country during the Games."""
    return {"host_leaders": JoinConfig(tables=("games", "leaders"), glossary={"country": "host country"})}
