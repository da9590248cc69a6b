"""A fault planted in any one of the 29 operators is caught by both second opinions.

The sampler is imported afresh over a table with one wrong row, samples a small graph, and the
records that use the operator go to the brute-force evaluator and to SQL, which know no table.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from graph_sampler.load import load_graph
from graph_sampler.operators import OPERATOR_NAMES
from graph_sampler.sql import check_record, load_facts
from state.config import Caps, Config, GraphConfig, Quotas, Rules, SamplerConfig
from state.instance import BenchmarkRecord
from tests.brute_force import BruteGraph, load_cronkg, violations

SYLLABLES = [first + last for first in ("Ka", "Lo", "Mi", "Nu", "Re", "So", "Ti", "Va") for last in ("bor", "dan", "fel", "gus", "han")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten people with memberships, posts, prizes and awards in a dozen years, in CronKG layout."""
    rng = Random(5)
    rows = set()
    for person in range(100, 110):
        for relation, objects, is_point, count in (("P1", 3, True, 1), ("P2", 2, True, 1), ("P3", 4, False, 2), ("P4", 3, False, 1)):
            for number in rng.sample(range(objects), count):
                start = rng.randint(1990, 2002)
                end = start if is_point else start + rng.choice((1, 2, 3, 4, 6))
                rows.add((f"Q{person}", relation, f"Q{relation[1]}{number}", str(start), str(end)))
    made = tmp_path_factory.mktemp("years")
    entities = sorted({entity for row in rows for entity in (row[0], row[2])})
    (made / "full.txt").write_text("".join("\t".join(row) + "\n" for row in sorted(rows)))
    (made / "wd_id2entity_text.txt").write_text("".join(f"{entity}\t{SYLLABLES[n]} {SYLLABLES[-n]}\n" for n, entity in enumerate(entities)))
    (made / "wd_id2relation_text.txt").write_text("P1\tprize\nP2\taward\nP3\tmember of\nP4\tpost\n")
    return made


@pytest.fixture(scope="module")
def connection(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET threads = 1")
        load_facts(opened, load_graph(GraphConfig(path=str(folder)))[0])
        yield opened


@pytest.fixture(scope="module")
def brute(folder: Path) -> BruteGraph:
    return load_cronkg(folder)


@contextmanager
def fresh_modules() -> Iterator[None]:
    """The package as if never imported; what was imported comes back afterwards."""

    def remove() -> dict[str, Any]:
        return {name: sys.modules.pop(name) for name in sorted(sys.modules) if name.split(".")[0] == "graph_sampler"}

    before = remove()
    try:
        yield
    finally:
        remove()
        sys.modules.update(before)


def sample_with_fault(folder: Path, operator: str | None) -> list[BenchmarkRecord]:
    """Records of the real sampler over a table with a fault in one operator."""
    lifted = Caps(
        per_root=10_000,
        per_anchor=10_000,
        per_answer=10_000,
        relation_share=1,
        one_granule_boundary_share=1,
        first_hop_only_share=1,
        proposals_per_operator=8,
    )
    quotas = Quotas(single=1, operators={operator: 0.3} if operator else {})
    rules = Rules(plain_reading=False, shared_granule=False)  # which read the operators' tests a second time
    sampler = SamplerConfig(target=150, max_constraints=1, quotas=quotas, caps=lifted, rules=rules)
    config = Config(dataset="small", graph=GraphConfig(path=str(folder)), sampler=sampler)
    with fresh_modules():
        table: Any = importlib.import_module("graph_sampler.operators")
        if operator is not None:
            plant(table, operator)
        load: Callable[..., Any] = importlib.import_module("graph_sampler.load").load_graph
        sample: Callable[..., Any] = importlib.import_module("graph_sampler.sampler").sample_traces
        graph, _ = load(config.graph)
        lines: list[bytes] = sample(graph, config).lines
    return [BenchmarkRecord.model_validate(json.loads(line)) for line in lines]


def plant(table: Any, name: str) -> None:
    """Puts a wrong row wherever the table holds an operator's.

    A pairwise operator gets its successor's test; the last of a family, to which precedence would leave
    nothing, changes its test for that of the one before it. An ordinal counts from the other end.
    """
    row = table.BY_NAME.get(name) or table.ORDINAL_BY_NAME[name]
    family = [other for other in table.PAIRWISE if other.family is row.family]
    if not family:
        wrong = [(row, row._replace(key=lambda start, end: -row.key(start, end)))]
    elif row is family[-1]:
        wrong = [(row, row._replace(holds=family[-2].holds)), (family[-2], family[-2]._replace(holds=row.holds))]
    else:
        wrong = [(row, row._replace(holds=family[family.index(row) + 1].holds))]

    def replaced(value: Any) -> Any:
        for right, planted in wrong:
            if value is right:
                return planted
        if type(value) is tuple:
            return tuple(map(replaced, value))
        return {key: replaced(each) for key, each in value.items()} if type(value) is dict else value

    for variable, value in list(vars(table).items()):
        if not variable.startswith("__"):
            setattr(table, variable, replaced(value))
    assert (table.BY_NAME.get(name) or table.ORDINAL_BY_NAME[name]) is not row


@pytest.mark.slow
def test_without_a_fault_both_opinions_agree_with_the_sampler_on_all_29_operators(
    folder: Path, brute: BruteGraph, connection: duckdb.DuckDBPyConnection
) -> None:
    records = sample_with_fault(folder, None)
    assert {operator for record in records for operator in record.operators} == set(OPERATOR_NAMES)
    for record in records:
        assert violations(record, brute, Rules(plain_reading=False, shared_granule=False)) == []
        assert check_record(connection, record) == []


@pytest.mark.slow
@pytest.mark.parametrize("operator", OPERATOR_NAMES)
def test_a_fault_in_one_operator_is_caught_by_both_opinions(
    folder: Path, brute: BruteGraph, connection: duckdb.DuckDBPyConnection, operator: str
) -> None:
    suspects = [record for record in sample_with_fault(folder, operator) if operator in record.operators]
    assert suspects
    assert any(violations(record, brute, Rules(plain_reading=False, shared_granule=False)) for record in suspects)
    assert any(check_record(connection, record) for record in suspects)
