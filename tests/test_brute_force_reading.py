"""The evaluator's own reader, operators and execution, by expectations worked out by hand."""

from __future__ import annotations

import ast
import gzip
import itertools
import sys
from pathlib import Path

import pytest

from state.interval import Granularity
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, Trace, TransitionStep
from state.vocabulary import RankOrder, Template
from tests.brute_force_execution import FAMILIES, execute, execute_structure, execute_without, holds, holds_plainly
from tests.brute_force_graph import Aside, Fact, granule, load_cronkg, normalise, read_date
from tests.random_traces import graph_of, write

EXAMPLES = {
    "I-equals-I": [(1996, 2003, 1996, 2003), (2003, 2003, 2003, 2003)],
    "I-starts-I": [(1996, 2000, 1996, 2003), (2003, 2003, 2003, 2009)],
    "I-started-by-I": [(1996, 2003, 1996, 2000), (2003, 2009, 2003, 2003)],
    "I-finishes-I": [(2000, 2003, 1996, 2003), (2003, 2003, 1996, 2003)],
    "I-finished-by-I": [(1996, 2003, 2000, 2003), (1996, 2003, 2003, 2003)],
    "I-before-I": [(1996, 2003, 2004, 2009)],
    "I-after-I": [(2004, 2009, 1996, 2003)],
    "I-meets-I": [(1996, 2003, 2003, 2009)],
    "I-met-by-I": [(2003, 2009, 1996, 2003)],
    "I-during-I": [(1998, 2000, 1996, 2003), (1998, 1998, 1996, 2003)],
    "I-contains-I": [(1996, 2003, 1998, 2000), (1996, 2003, 1998, 1998)],
    "I-overlaps-I": [(1996, 2003, 2000, 2009)],
    "I-overlapped-by-I": [(2000, 2009, 1996, 2003)],
    "P-at-start-I": [(2003, 2003, 2003, 2009), (2003, 2003, 2003, 2003)],
    "P-at-end-I": [(2009, 2009, 2003, 2009)],
    "P-before-I": [(2002, 2002, 2003, 2009)],
    "P-after-I": [(2010, 2010, 2003, 2009)],
    "P-inside-I": [(2004, 2004, 2003, 2009)],
    "I-starts-at-P": [(2003, 2009, 2003, 2003), (2003, 2003, 2003, 2003)],
    "I-ends-at-P": [(2003, 2009, 2009, 2009)],
    "I-after-P": [(2003, 2009, 2002, 2002)],
    "I-before-P": [(2003, 2009, 2010, 2010)],
    "I-covers-P": [(2003, 2009, 2004, 2004)],
    "P-before-P": [(1999, 1999, 2000, 2000)],
    "P-equals-P": [(2000, 2000, 2000, 2000)],
    "P-after-P": [(2001, 2001, 2000, 2000)],
}


def span(start: int, end: int) -> Fact:
    return Fact("Q1", "P3", "Q2", start, end)


def test_the_examples_cover_all_pairwise_operators() -> None:
    assert set(EXAMPLES) == {name for family, names in FAMILIES.items() if family != "ordinal" for name in names}


@pytest.mark.parametrize("operator", EXAMPLES)
def test_an_operator_and_no_other_of_its_family_holds_in_its_examples(operator: str) -> None:
    family = next(names for names in FAMILIES.values() if operator in names)
    for a, b, c, d in EXAMPLES[operator]:
        assert [name for name in family if holds(name, span(a, b), span(c, d))] == [operator]


def test_reversing_two_intervals_gives_the_converse() -> None:
    converse = {"I-equals-I": "I-equals-I", "I-starts-I": "I-started-by-I", "I-finishes-I": "I-finished-by-I"}
    converse |= {"I-before-I": "I-after-I", "I-meets-I": "I-met-by-I", "I-during-I": "I-contains-I", "I-overlaps-I": "I-overlapped-by-I"}
    spans = [span(start, end) for start, end in itertools.combinations_with_replacement(range(6), 2)]
    for x, y in itertools.product(spans, spans):
        assert sum(holds(name, x, y) for name in FAMILIES["I-I"]) == 1
        for name, other in converse.items():
            assert holds(name, x, y) == holds(other, y, x)


@pytest.mark.parametrize(
    ("operator", "x", "y"),
    [
        ("I-meets-I", span(2003, 2003), span(2003, 2009)),
        ("I-meets-I", span(1996, 2003), span(2003, 2003)),
        ("I-met-by-I", span(2003, 2003), span(1996, 2003)),
        ("P-at-end-I", span(2003, 2003), span(2003, 2003)),
        ("I-ends-at-P", span(2003, 2003), span(2003, 2003)),
    ],
)
def test_one_granule_intervals_are_read_plainly_in_another_way(operator: str, x: Fact, y: Fact) -> None:
    assert holds_plainly(operator, x, y)
    assert not holds(operator, x, y)


def test_plain_reading_differs_in_nothing_else() -> None:
    spans = [span(start, end) for start, end in itertools.combinations(range(6), 2)]
    for x, y in itertools.product(spans, spans):
        for name in FAMILIES["I-I"]:
            assert holds(name, x, y) == holds_plainly(name, x, y)


def imported(path: Path) -> set[str]:
    """The modules that a file imports, `from` targets by their module."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_the_second_opinions_share_nothing_with_the_sampler() -> None:
    root = Path(__file__).resolve().parents[1]
    for name in ("brute_force", "brute_force_doubt", "brute_force_graph", "brute_force_execution"):
        tops = {module if module.startswith("tests.") else module.split(".")[0] for module in imported(root / "tests" / f"{name}.py")}
        own = {module for module in tops if module.startswith("tests.brute_force")}
        assert tops - own - {"state"} <= set(sys.stdlib_module_names)
    from_sampler = {module for module in imported(root / "graph_sampler" / "sql.py") if module.startswith("graph_sampler")}
    assert from_sampler <= {"graph_sampler.temporal_graph"}


# Reading.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1996", ("known", 1996, 1996)),
        ("9", ("known", 9, 9)),
        ("-0044", ("known", -44, -44)),
        ("1996-05-01", ("known", 1996, 1996)),
        ("1995-##-##", ("known", 1995, 1995)),
        ("+2019-11-00T00:00:00Z", ("known", 2019, 2019)),
        ("19##-##-##", ("coarse", 1900, 1999)),
        ("####-##-##", ("unknown", None, None)),
        ("None", ("unknown", None, None)),
        ("", ("unknown", None, None)),
        ("9999-12-31", ("unknown", None, None)),
        ("1996-02-30", ("malformed", None, None)),
        ("1900-02-29", ("malformed", None, None)),
        ("soon", ("malformed", None, None)),
    ],
)
def test_dates_in_a_graph_of_years(text: str, expected: tuple[str, int | None, int | None]) -> None:
    assert read_date(text, Granularity.YEAR, ("9999-12-31",))[:3] == expected


def test_dates_in_a_graph_of_days() -> None:
    assert read_date("1970-01-02", Granularity.DAY)[:3] == ("known", 1, 1)
    assert read_date("1971", Granularity.DAY)[:3] == ("coarse", 365, 729)
    assert read_date("1970-02", Granularity.DAY)[:3] == ("coarse", 31, 58)
    assert granule(Granularity.DAY, 1600, 1, 1) - granule(Granularity.DAY, 1200, 1, 1) == 146097
    assert granule(Granularity.DAY, -1, 12, 31) == granule(Granularity.DAY, 0, 1, 1) - 1


def test_historical_years_have_no_year_0() -> None:
    assert read_date("-0044-03-15", Granularity.YEAR, historical=True).low == read_date("-0043", Granularity.YEAR).low == -43
    assert read_date("0000", Granularity.YEAR, historical=True).kind == "malformed"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José", "Jose\u0301"),
        ("São Tomé", "sao tome"),
        ("New York", "New\u00a0York"),
        ("O'Neill", "O\u2019Neill"),
        ("Straße 9", "STRASSE 9"),
        ("1996-2003", "1996\u20132003"),
        ("Niger", "Ni\u200bger"),
    ],
)
def test_one_name_in_other_bytes_is_one_name(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize("is_gzip", [False, True])
def test_a_cronkg_folder_is_cleaned_and_typed_in_the_order_of_the_design(tmp_path: Path, is_gzip: bool) -> None:
    rows = [
        "Q1\tP3\tQ2\t1990\t1995",  # kept
        "Q1\tP3\tQ2\t1990\t1995-06-01",  # the same fact
        "Q1\tP3\tQ2\t1999\t1999",  # kept: one granule, a second spell
        "Q2\tP3\tQ1\tNone\t2004",  # unknown start
        "Q2\tP3\tQ1\t2011\t2004",  # reversed
        "Q2\tP3\tQ1\t2004-05-10\t2004-05-09",  # reversed
        "Q2\tP3\tQ1\t19##\t2001",  # coarse start
        "Q5\tP3\tQ1\t2001\t2002",  # no label
        "Q2\tP3\tQ1\t2001",  # not five columns
        *(f"Q1\tP1\tQ2\t{year}\t{year}" for year in range(1900, 1919)),
        "Q2\tP1\tQ1\t1920\t1930",  # the long fact of a point relation
        "Q1\tP9\tQ2\t1900\t1900",  # two of three are points: deleted
        "Q1\tP9\tQ2\t1901\t1901",
        "Q1\tP9\tQ2\t1901\t1905",
        "Q1\tP9\tQ2\t1901\tNone",
    ]
    files = {
        "full.txt": "\n".join(rows) + "\n",
        "wd_id2entity_text.txt": "Q1\tAna Roy\nQ2\tBo Lind\nQ5\tQ5\n",
        "wd_id2relation_text.txt": "P1\tprize\nP3\tmember of\nP9\tmixed\n",
    }
    for name, text in files.items():
        if is_gzip:
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (tmp_path / name).write_text(text, encoding="utf-8")
    graph = load_cronkg(tmp_path)
    assert graph.points == {"P1"}
    assert [fact for fact in graph.facts if fact.relation != "P1"] == [
        Fact("Q1", "P3", "Q2", 1990, 1995),
        Fact("Q1", "P3", "Q2", 1999, 1999),
    ]
    assert len(graph.facts) == 2 + 19
    assert graph.aside == [
        Aside("Q2", "P3", "Q1", None, None, 2004, 2004),
        Aside("Q2", "P3", "Q1", None, None, None, None),
        Aside("Q2", "P3", "Q1", None, None, None, None),
        Aside("Q2", "P3", "Q1", 1900, 1999, 2001, 2001),
        Aside("Q5", "P3", "Q1", 2001, 2001, 2002, 2002),
        Aside("Q2", "P1", "Q1", 1920, 1930, 1920, 1930),
    ]


# Execution.


def pairwise(name: str, operator: str, left: str, right: str) -> PairwiseStep:
    return PairwiseStep(constraint=name, operator=operator, left=left, right=right, candidates=0)


def trace_of(template: Template, variable: str, *steps: Step, **references: Fact) -> Trace:
    return Trace(
        template=template, answer_variable=variable, steps=steps, references={key: write(fact) for key, fact in references.items()}
    )


MEMBERS = RootStep(fact="f1", pattern=("?a", "P3", "Q9"), candidates=0)


def test_one_spell_must_meet_all_constraints() -> None:
    reference = Fact("Q2", "P3", "Q9", 2000, 2005)
    graph = graph_of([Fact("Q1", "P3", "Q9", 1996, 1999), Fact("Q1", "P3", "Q9", 2009, 2011), reference], set())
    steps = (pairwise("c1", "I-before-I", "f1", "g1"), pairwise("c2", "I-after-I", "f1", "g1"))
    assert execute(graph, trace_of(Template.ONE_HOP, "?a", MEMBERS, steps[0], g1=reference), {"g1": reference}).answers == {"Q1"}
    assert execute(graph, trace_of(Template.ONE_HOP, "?a", MEMBERS, *steps, g1=reference), {"g1": reference}).answers == set()


def test_a_fact_is_never_related_to_itself_and_a_loss_keeps_it_out() -> None:
    facts = [Fact("Q1", "P3", "Q9", 2000, 2001), Fact("Q2", "P3", "Q9", 2000, 2001), Fact("Q3", "P3", "Q9", 2005, 2006)]
    graph, references = graph_of(facts, set()), {"g1": facts[0]}
    trace = trace_of(Template.ONE_HOP, "?a", MEMBERS, pairwise("c1", "I-equals-I", "f1", "g1"), g1=facts[0])
    assert execute(graph, trace, references).answers == {"Q2"}
    assert execute_without(graph, trace, references, "c1").answers == {"Q2", "Q3"}


@pytest.mark.parametrize(
    ("operator", "rank", "order", "expected"),
    [
        ("start_rank", 1, "ascending", {"Q1"}),
        ("start_rank", 2, "ascending", {"Q2", "Q3"}),
        ("start_rank", 3, "ascending", {"Q4"}),
        ("start_rank", 4, "ascending", set()),
        ("start_rank", 1, "descending", {"Q4"}),
        ("end_rank", 1, "descending", {"Q3"}),
        ("duration_rank", 1, "ascending", {"Q4"}),
        ("duration_rank", 1, "descending", {"Q3"}),
    ],
)
def test_an_ordinal_keeps_the_rows_of_a_dense_rank(operator: str, rank: int, order: RankOrder, expected: set[str]) -> None:
    facts = [Fact("Q1", "P3", "Q9", 1990, 1992), Fact("Q2", "P3", "Q9", 1995, 1996), Fact("Q3", "P3", "Q9", 1995, 2009)]
    graph = graph_of([*facts, Fact("Q4", "P3", "Q9", 2001, 2001)], set())
    step = OrdinalStep(constraint="c1", operator=operator, fact="f1", rank=rank, order=order, candidates=0)
    trace = trace_of(Template.ONE_HOP, "?a", MEMBERS, step)
    assert execute(graph, trace, {}).answers == expected
    assert execute_without(graph, trace, {}, "c1").answers == {"Q1", "Q2", "Q3", "Q4"}


def test_leaving_out_the_filter_leaves_out_what_reads_its_fact() -> None:
    facts = [Fact("Q1", "P3", "Q9", 1990, 1995), Fact("Q2", "P3", "Q9", 1990, 1995), Fact("Q3", "P3", "Q9", 1970, 1971)]
    facts += [Fact("Q1", "P4", "Q8", 1991, 1992), Fact("Q2", "P4", "Q8", 1999, 2000)]
    graph, references = graph_of(facts, set()), {"g1": facts[2]}
    steps = (
        MEMBERS,
        FilterStep(fact="f2", pattern=("?a", "P4", "Q8"), candidates=0),
        pairwise("c1", "I-after-I", "f1", "g1"),
        pairwise("c2", "I-contains-I", "f1", "f2"),
    )
    trace = trace_of(Template.BRANCH, "?a", *steps, g1=facts[2])
    assert execute(graph, trace, references).answers == {"Q1"}
    assert execute_without(graph, trace, references, "c2").answers == {"Q1", "Q2"}
    assert execute_without(graph, trace, references, "f2").answers == {"Q1", "Q2"}


def test_a_chain_binds_the_walked_fact_in_either_direction_and_keeps_dead_ends() -> None:
    walked = [Fact("Q1", "P3", "Q9", 1990, 1995), Fact("Q5", "P4", "Q1", 1995, 1999)]
    dead_end = Fact("Q2", "P3", "Q9", 1990, 1991)
    graph = graph_of([*walked, dead_end, Fact("Q6", "P4", "Q7", 1990, 1991)], set())
    steps = (MEMBERS, TransitionStep(fact="f2", pattern=("?b", "P4", "?a"), candidates=0), pairwise("c1", "I-meets-I", "f1", "f2"))
    trace = trace_of(Template.TWO_HOP, "?b", *steps)
    run = execute(graph, trace, {})
    assert run.answers == {"Q5"}
    assert run.candidates_after == [{"Q1", "Q2"}, {"Q5"}, {"Q5"}]
    assert execute_structure(graph, trace).bound == {*walked, dead_end}
