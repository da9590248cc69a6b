"""The items of a study: each damaged as its kind says, none showing it, and the same whoever makes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from benchmarks import verifier_rates
from evaluation.damage.relation_kinds import point_relations
from evaluation.verifier.items import Items, make_items
from state.instance import BenchmarkRecord
from state.study import DamageKind, Register
from state.study_config import StudyConfig

ROOT = Path(__file__).parents[3]
BOTH = (Register.TEMPLATE, Register.FINAL)
HASH_ITEMS = """
import json, sys
from pathlib import Path
from evaluation.verifier.items import make_items
from evaluation.damage.relation_kinds import point_relations
from state.instance import BenchmarkRecord
from state.study_config import StudyConfig
lines, final = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
records = [BenchmarkRecord.model_validate_json(line) for line in lines]
study = StudyConfig(registers=("template", "final"), damages_per_question=2, seed=4)
made = make_items(records, final, study, point_relations(records))
sys.stdout.buffer.write("\\n".join(item.model_dump_json() for item in made.items).encode())
"""


@pytest.fixture(scope="module")
def records(years_records: list[BenchmarkRecord]) -> list[BenchmarkRecord]:
    return years_records[:60]


@pytest.fixture(scope="module")
def final(records: list[BenchmarkRecord]) -> dict[str, str]:
    """Accepted questions of two thirds of the records."""
    register = verifier_rates.Register.REWRITTEN
    return {record.id: verifier_rates.word(record.raw_question, record, register) for record in records[::3] + records[1::3]}


@pytest.fixture(scope="module")
def made(records: list[BenchmarkRecord], final: dict[str, str]) -> Items:
    return make_items(records, final, StudyConfig(registers=BOTH), point_relations(records))


def test_every_source_has_its_sound_item_in_each_register_that_it_can(
    records: list[BenchmarkRecord], final: dict[str, str], made: Items
) -> None:
    sound = {(item.source, item.wording): item for item in made.items if item.kind is None}
    wanted = {(record.id, Register.TEMPLATE) for record in records} | {(name, Register.FINAL) for name in final}
    assert sound.keys() == wanted
    for record in records:
        item = sound[record.id, Register.TEMPLATE]
        assert (item.question, item.expected, item.note) == (record.raw_question, (record.answer,), "")
        assert (item.family, item.operator) == (record.families[0], record.operators[0])
        if record.id in final:
            assert sound[record.id, Register.FINAL].question == final[record.id]


def test_ids_are_sorted_unique_and_of_the_dataset(made: Items) -> None:
    ids = [item.id for item in made.items]
    assert ids == sorted(set(ids)) == list(made.records)
    assert all(name.startswith("years-") and len(name) == len("years-") + 12 for name in ids)
    assert all(set(name[6:]) <= set("0123456789abcdef") for name in ids)


def test_the_record_of_an_item_shows_no_damage(records: list[BenchmarkRecord], made: Items) -> None:
    sources = {record.id: record for record in records}
    for item in made.items:
        given = made.records[item.id]
        assert (given.id, given.raw_question) == (item.id, item.question)
        source = sources[item.source]
        assert given.model_dump(exclude={"id", "raw_question"}) == source.model_dump(exclude={"id", "raw_question"})
        assert given.labelled_evidence == source.labelled_evidence


def test_no_question_of_a_source_is_asked_twice(made: Items) -> None:
    asked = Counter((item.source, item.question) for item in made.items)
    assert max(asked.values()) == 1


def test_what_a_damaged_item_names_is_not_the_answer_alone_unless_its_constraint_is_unnecessary(made: Items) -> None:
    kinds = Counter(item.kind for item in made.items)
    assert all(kinds[kind] for kind in DamageKind)
    for item in made.items:
        is_gold = item.expected == (made.records[item.id].answer,)
        assert is_gold is (item.kind in (None, DamageKind.UNNECESSARY))
        assert bool(item.note) is (item.kind is not None)


def test_no_item_names_the_answer(made: Items) -> None:
    for item in made.items:
        assert made.records[item.id].answer not in item.question


@pytest.mark.slow
def test_order_of_the_records_and_hash_seed_do_not_matter(tmp_path: Path, records: list[BenchmarkRecord], final: dict[str, str]) -> None:
    seen = set()
    some = records[:25]
    for seed, given in (("1", some), ("2", some[::-1])):
        path = tmp_path / f"{seed}.json"
        path.write_text(json.dumps([[record.model_dump_json() for record in given], final]), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", HASH_ITEMS, str(path)], cwd=ROOT, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        assert done.returncode == 0, done.stderr
        seen.add(done.stdout)
    assert len(seen) == 1
    assert len(seen.pop().splitlines()) > 50


def test_without_a_cap_the_items_of_a_record_depend_on_no_other_record(
    records: list[BenchmarkRecord], final: dict[str, str], made: Items
) -> None:
    points = point_relations(records)
    for record in records[:6]:
        alone = make_items([record], final, StudyConfig(registers=BOTH), points)
        assert list(alone.items) == [item for item in made.items if item.source == record.id]


def test_the_kinds_wanted_are_made_as_if_all_were(records: list[BenchmarkRecord], made: Items) -> None:
    wanted = (DamageKind.REVERSED, DamageKind.UNNECESSARY)
    some = make_items(records, {}, StudyConfig(damages=wanted), point_relations(records))
    template = [item for item in made.items if item.wording is Register.TEMPLATE and item.kind in (None, *wanted)]
    assert list(some.items) == template
    none = make_items(records, {}, StudyConfig(damages=()), point_relations(records))
    assert all(item.kind is None for item in none.items)
    assert len(none.items) == len(records)


@pytest.mark.parametrize("most", [1, 2])
def test_a_cap_takes_as_many_of_each_source_as_it_can_and_keeps_the_kinds_even(
    records: list[BenchmarkRecord], final: dict[str, str], made: Items, most: int
) -> None:
    capped = make_items(records, final, StudyConfig(registers=BOTH, damages_per_question=most), point_relations(records))
    assert set(capped.items) <= set(made.items)
    offered, taken = (Counter(item.source for item in items.items if item.kind) for items in (made, capped))
    assert taken == Counter({source: min(most, count) for source, count in offered.items()})
    kinds = Counter(item.kind for item in capped.items if item.kind)
    assert max(kinds.values()) - min(kinds[kind] for kind in DamageKind) <= 1


def test_another_seed_damages_otherwise(records: list[BenchmarkRecord], made: Items) -> None:
    other = make_items(records, {}, StudyConfig(seed=1), point_relations(records))
    of_source: dict[str, list[set[str]]] = defaultdict(list)
    for items in (made, other):
        for record in records:
            of_source[record.id].append({item.question for item in items.items if item.source == record.id})
    assert sum(first != second for first, second in of_source.values()) > len(records) / 2


def test_a_clash_of_ids_is_refused(records: list[BenchmarkRecord]) -> None:
    with pytest.raises(ValueError, match="two items are called"):
        make_items([records[0], records[0]], {}, StudyConfig(), point_relations(records))
