"""What is found for a whole graph at once is what a plain loop over its facts and names finds."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.doubt import second_spells
from graph_sampler.labels import normalise_label, normalise_labels
from graph_sampler.naming import Names
from graph_sampler.skeleton import roots
from graph_sampler.spool import Spool, SpooledLines, pack
from graph_sampler.synthetic import generate_graph
from graph_sampler.temporal_graph import DroppedFacts, TemporalGraph

DRAWN = generate_graph(1_500, 4)[0]
META = ("Occurrence", "ereignis ßtart")
ODD = (
    "Ana Roy", "ANA  ROY", "Ana\u00a0Roy", "José Lind", "Jose\u0301 lind", "", "   ", "\u200b", "Roy`s", "Roy’s", " occurrence ",
    "Occurrence\u00a0", "Ereignis SStart", "OCCURRENCE", "Bo\tLind", "Bo Lind", "a", "!!!",
)  # fmt: skip


def triples(graph: TemporalGraph | DroppedFacts) -> list[tuple[int, int, int]]:
    return list(zip(graph.subject.tolist(), graph.relation.tolist(), graph.object.tolist(), strict=True))


@given(st.integers(1, 6), st.integers(0, 40), st.sets(st.integers(0, 3)), st.sets(st.integers(0, 200)))
def test_roots_are_the_pairs_with_as_many_candidates(least: int, more: int, relations: set[int], entities: set[int]) -> None:
    candidates = defaultdict(set)
    for subject, relation, object_ in triples(DRAWN):
        candidates[relation, True, object_].add(subject)
        candidates[relation, False, subject].add(object_)
    expected = sorted(
        root
        for root, found in candidates.items()
        if least <= len(found) <= least + more and root[0] not in relations and root[2] not in entities
    )
    assert roots(DRAWN, least, least + more, frozenset(relations), frozenset(entities)) == expected


@pytest.mark.parametrize("kept_aside", [True, False])
def test_second_spells_are_the_facts_with_a_row_of_the_same_three_ids(kept_aside: bool) -> None:
    rows = Random(1).choices(range(len(DRAWN)), k=60) if kept_aside else []
    start = DRAWN.start[rows].astype("int64")
    subject, relation, object_ = DRAWN.subject[rows], DRAWN.relation[rows], DRAWN.object[rows]
    kinds = DRAWN.relation_is_point[relation]
    graph = replace(DRAWN, dropped=DroppedFacts(subject, relation, object_, start, start, start, start, kinds))
    counts = Counter(triples(graph)) + Counter(set(triples(graph.dropped)))
    assert second_spells(graph).tolist() == [counts[fact] > 1 for fact in triples(graph)]


@given(st.lists(st.sampled_from(ODD), max_size=8), st.lists(st.text(max_size=6), max_size=4))
def test_names_normalised_at_once_are_those_normalised_one_by_one(odd: list[str], texts: list[str]) -> None:
    labels = [*odd, *texts]
    assert normalise_labels(labels).to_pylist() == [normalise_label(label) for label in labels]


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_names_are_ambiguous_where_another_entity_at_that_end_has_one_of_them(rng: Random) -> None:
    entities = range(len(DRAWN.entity_ids))
    odd = {code: rng.choice(ODD) for code in rng.sample(entities, 60)}
    aliases = {code: tuple(rng.sample(ODD, 2)) for code in sorted(rng.sample(entities, 20))}
    graph = replace(DRAWN, entity_labels=[odd.get(code, label) for code, label in enumerate(DRAWN.entity_labels)], entity_aliases=aliases)
    found = Names(graph, META)
    wanted = {label.casefold() for label in META} | {normalise_label(label) for label in META}
    assert found.meta_entities == {code for code in entities if graph.entity_labels[code].strip().casefold() in wanted}
    owners = defaultdict(set)
    for subject, relation, object_ in triples(graph):
        for is_subject, entity in ((True, subject), (False, object_)):
            for name in filter(None, map(normalise_label, (graph.entity_labels[entity], *aliases.get(entity, ())))):
                owners[relation, is_subject, name].add(entity)
    shared = {(*key[:2], entity) for key, found_owners in owners.items() if len(found_owners) > 1 for entity in found_owners}
    ends = {(relation, is_subject) for relation, is_subject, _ in owners}
    for relation, is_subject in sorted(ends):
        for entity in sorted({*odd, *aliases}):
            assert found.is_unique_at(relation, is_subject, entity) == ((relation, is_subject, entity) not in shared)


@given(st.lists(st.binary(max_size=40), max_size=6), st.slices(6))
def test_spooled_lines_are_the_lines(lines: list[bytes], part: slice) -> None:
    spool = Spool()
    places = [spool.put(pack(line)) for line in lines]
    packed = SpooledLines(spool, np.array(places, np.int64).reshape(-1, 2))
    assert list(packed) == lines == packed
    assert packed[part] == lines[part]
    assert packed != [*lines, b""]
