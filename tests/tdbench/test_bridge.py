"""Tables and graphs made into one another keep what holds when; only `meets` and `overlap` change their names."""

from __future__ import annotations

import shlex
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.offline.lexicon import LEXICON
from agents.offline.tables.rewriter import compose
from agents.offline.tables.sql_reader import read_sql
from agents.offline.unknown_relations import is_noun, readable, words_for
from agents.offline.verifier_lexicon import ENTRIES, OTHER_LABELS
from graph_sampler.load import import_graph, load_graph
from graph_sampler.operators import relate
from graph_sampler.sampler import sample_traces
from graph_sampler.temporal_graph import TemporalGraph
from runs.config_file import load_config
from state.config import GraphConfig
from state.errors import ConfigError, TableError
from state.graph_report import DropReason
from state.instance import BenchmarkRecord
from state.interval import Granularity, ValidInterval
from state.tdbench_config import Dependency, TdbenchConfig
from state.vocabulary import Family
from tdbench.bridge import CONFIG_FILE, FactColumns, from_graph, table_name, to_graph
from tdbench.bridge_asking import with_asking
from tdbench.bridge_words import directed, glossary_of
from tdbench.questions.build import build_questions
from tdbench.questions.relations import RELATIONS
from tdbench.sampling import dependencies_of
from tdbench.tables.example import example_tables
from tdbench.tables.store import open_tables
from tests.command_line import here, refused
from tests.tdbench.questions.temporal_tables import Row, hold

COLUMNS = ("who", "what", "where")
FACT = FactColumns(subject="who", relation="what", object="where")
AS_GRAPH = {
    **{relation.name.value: relation.operator for relation in RELATIONS},
    "meet": "I-before-I",
    "met-by": "I-after-I",
}
"""What a relation of a table is called in the graph, where two rows do not overlap in one granule only."""

names = st.sampled_from(["Ana Roy", "Bo Lind", "FC Arn", 'The "Old" Club, Inc.', "Łódź", "tab\there", "two\nlines"])
starts = st.integers(-3, 4) | st.integers(1990, 1996) | st.just(9999) | st.just(3000)
rows_of_facts = st.lists(
    st.builds(
        lambda who, what, where, start, length: Row((who, what, where), start, start + length if length else None),
        names, st.sampled_from(["plays for", "leads"]), names, starts, st.integers(0, 5),
    ),
    min_size=1, max_size=8, unique_by=lambda row: row,
).filter(lambda rows: any(row.end is not None for row in rows))  # fmt: skip


def source_of(folder: Path) -> GraphConfig:
    return load_config(folder / CONFIG_FILE).config.graph


def rows_of(folder: Path) -> set[Row]:
    """The rows of a written table, as it is loaded."""
    tables = load_config(folder / CONFIG_FILE).config.tdbench.tables
    with open_tables(tables, {}) as database:
        (name,) = tables
        assert database.reports[name].kept == database.reports[name].rows
        found = database.connection.execute(f'SELECT subject, relation, object, _start, _end FROM "{name}"').fetchall()
    return {Row(tuple(values), start, end) for *values, start, end in found}


def facts_of(graph: TemporalGraph) -> dict[tuple[str, str, str], list[ValidInterval]]:
    facts: dict[tuple[str, str, str], list[ValidInterval]] = {}
    for fact in range(len(graph)):
        ends = (
            graph.entity_labels[graph.subject[fact]],
            graph.relation_labels[graph.relation[fact]],
            graph.entity_labels[graph.object[fact]],
        )
        facts.setdefault(ends, []).append(graph.fact_interval(fact))
    return facts


@settings(max_examples=10)
@given(rows_of_facts, st.sampled_from(list(Granularity)), st.sampled_from(["ongoing", "unknown"]))
def test_a_table_made_into_a_graph_and_back_has_the_same_rows(rows: list[Row], unit: Granularity, open_end: str) -> None:
    held = hold(rows, COLUMNS, unit=unit, open_end=open_end)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        there, back = Path(folder, "graph"), Path(folder, "table")
        report = to_graph(held.connection, held.table, FACT, there)
        assert report.facts == report.rows == len(rows)
        config = source_of(there)
        again = from_graph(config, sorted({row.values[1] or "" for row in rows}), back)
        assert again.rows == again.kept == len(rows)
        assert rows_of(back) == set(rows)
        table = load_config(back / CONFIG_FILE).config.tdbench.tables[again.table]
        assert table.open_end == (open_end if any(row.end is None for row in rows) else "ongoing")
        graph, cleaning = load_graph(config)
        closed = Counter((row.values, row.start, row.end - 1) for row in rows if row.end is not None)
        assert closed == Counter((ends, *span) for ends, spans in facts_of(graph).items() for span in spans)
        missing = DropReason.OPEN_END if open_end == "ongoing" else DropReason.UNKNOWN_END
        assert cleaning.dropped == ({missing: len(rows) - len(graph)} if len(graph) < len(rows) else {})


def test_a_relation_between_rows_is_the_operator_between_their_facts() -> None:
    spans = [(start, end) for start in range(6) for end in range(start + 1, 7)]
    for (start, end), (other, other_end) in product(spans, spans):
        (relation,) = (each for each in RELATIONS if each.holds(start, end, other, other_end))
        name, shared = relation.name.value, min(end, other_end) - max(start, other)
        expected = {"overlap": "I-meets-I", "overlapped-by": "I-met-by-I"}.get(name) if shared == 1 else None
        operator = relate(Family.I_I, ValidInterval(start, end - 1), ValidInterval(other, other_end - 1))
        assert operator.name == (expected or AS_GRAPH[name])


@settings(max_examples=5)
@given(rows_of_facts)
def test_meeting_pairs_are_counted_as_they_stand(rows: list[Row]) -> None:
    held = hold(rows, COLUMNS)
    pairs = [(one, other) for one in rows for other in rows if one.end is not None and one.end == other.start]
    handed = [
        (one, other)
        for one, other in pairs
        if one.values[1] == other.values[1] and (one.values[0] == other.values[0] or one.values[2] == other.values[2])
    ]
    with tempfile.TemporaryDirectory() as folder:
        report = to_graph(held.connection, held.table, FACT, Path(folder))
        assert (report.meeting, report.handed_over) == (len(pairs), len(handed))
        closed = [row for row in rows if row.end is not None]
        spans = [ValidInterval(row.start, row.end - 1) for row in closed if row.end is not None]
        again = from_graph(source_of(Path(folder)), sorted({row.values[1] or "" for row in rows}), Path(folder, "back"))
        meets = sum(relate(Family.I_I, one, other).name == "I-meets-I" for one in spans for other in spans)
        still = sum(one.end == row.start and one.end > one.start for one in spans for row in rows if row.end is None)
        assert again.meeting == meets + still


def test_ids_of_a_table_are_the_ids_of_the_graph(tmp_path: Path) -> None:
    rows = [
        Row(("E1", "Mara Holt", "C1", "City FC"), 1990, 1995),
        Row(("E2", "Mara Holt", "C1", "City FC"), 1995, 1999),
        Row(("E1", "Mara Holt", "C1", "City FC"), 1990, 1995),
        Row(("E2", None, "C1", "City FC"), 1990, 1992),
    ]
    held = hold(rows, ("pid", "name", "cid", "club"))
    columns = FactColumns("name", "club", relation_name="plays for", subject_id="pid", object_id="cid")
    report = to_graph(held.connection, held.table, columns, tmp_path)
    assert (report.facts, report.repeated, report.incomplete, report.entities) == (2, 1, 1, 3)
    graph, _ = load_graph(source_of(tmp_path))
    assert dict(zip(graph.entity_ids, graph.entity_labels, strict=True)) == {"C1": "City FC", "E1": "Mara Holt", "E2": "Mara Holt"}
    back = from_graph(source_of(tmp_path), ["plays for"], tmp_path / "back")
    assert back.shared_names == 1
    assert (tmp_path / "back" / "plays_for.csv").read_text(encoding="utf-8") == (
        "subject,relation,object,subject_id,object_id,start,end\n"
        "Mara Holt,plays for,City FC,E1,C1,1990,1994\nMara Holt,plays for,City FC,E2,C1,1995,1998\n"
    )


def test_names_that_no_question_can_say_are_counted_and_shared_sides_too(tmp_path: Path) -> None:
    held = hold([Row(("Q42", "leads", "Arn"), 1, 3), Row(("Arn", "leads", "7"), 3, 4)], COLUMNS)
    report = to_graph(held.connection, held.table, FACT, tmp_path)
    assert (report.unusable_names, report.unusable_examples, report.on_both_sides) == (2, ("7", "Q42"), 1)
    assert "such as '7', 'Q42'" in "\n".join(report.lines())


def test_a_noun_is_written_as_a_link_and_no_question_turns_it_round(tmp_path: Path) -> None:
    rows = [Row(("Ana Roy", "head coach", "FC Arn"), 1, 3), Row(("Bo Lind", "plays for", "FC Arn"), 3, 4)]
    held = hold(rows, COLUMNS)
    report = to_graph(held.connection, held.table, FACT, tmp_path)
    assert report.renamed == {"head coach": "linked as who (head coach) to"}
    assert "'head coach' is written as 'linked as who (head coach) to'" in "\n".join(report.lines())
    graph, _ = load_graph(source_of(tmp_path))
    assert set(graph.relation_labels) == {"linked as who (head coach) to", "plays for"}
    for label in (*LEXICON, *ENTRIES, *OTHER_LABELS, "Prime Minister", "hosted the Games of"):
        written = directed(label, "Manager")
        assert not is_noun(written)
        if written != label:
            assert not words_for(written).flipped
            assert readable(written) not in {*LEXICON, *ENTRIES, *OTHER_LABELS}


def test_the_questions_of_a_relation_are_made_of_its_label(tmp_path: Path) -> None:
    from_graph(GraphConfig(path="bundled:years"), ["position held"], tmp_path)
    (table,) = load_config(tmp_path / CONFIG_FILE).config.tdbench.tables.values()
    sql = """SELECT "subject", "start", "end" FROM "t" WHERE "object" = 'King of Arn' AND "start" > '1999'"""
    asked = compose(read_sql(sql), table.glossary, 1)
    assert asked == "Which entity is recorded for position held King of Arn in an entry that began after 1999?"
    assert glossary_of(["leads", "plays for"])["object"] == "linked entity"


def test_a_graph_with_both_kinds_of_missing_ends_keeps_the_open_ones(tmp_path: Path) -> None:
    facts = tmp_path / "facts.tsv"
    lines = ["Ana\tleads\tArn\t1990\topen", "Bo\tleads\tArn\t1980\t", "Cy\tleads\tArn\t1970\t1975", "Cy\tleads\tArn\t1975\t1970"]
    lines += ["Di\tleads\tArn\t19##\t1999", "nan\tleads\tArn\t1960\t1961", "Cy\tleads\tArn\t1970\t1975", "Ed\tleads\tArn\tsoon\t1961"]
    facts.write_text("\n".join(lines) + "\n", encoding="utf-8")
    config = GraphConfig(path=str(facts), format="table", open_dates=("open",))
    report = from_graph(config, ["leads"], tmp_path / "out")
    assert (report.kept, report.open_ends, report.open_end) == (2, 1, "ongoing")
    assert report.left_out == {
        DropReason.BAD_DATE: 1, DropReason.UNKNOWN_END: 1, DropReason.COARSE: 1, DropReason.REVERSED: 1,
        DropReason.UNUSABLE_ENTITY: 1, DropReason.DUPLICATE: 1,
    }  # fmt: skip


def test_an_imported_graph_gives_the_facts_that_cleaning_kept_in_its_own_unit(tmp_path: Path) -> None:
    facts = tmp_path / "facts.tsv"
    facts.write_text("Ana Roy\tleads\tFC Arn\t1990-05-01\t1990-05-02\nBo Lind\tleads\tFC Arn\t1980-01-01\t\n", encoding="utf-8")
    source = GraphConfig(path=str(facts), format="table", granularity=Granularity.DAY)
    import_graph(source, str(tmp_path / "g"))
    report = from_graph(GraphConfig(path=str(tmp_path / "g")), ["leads"], tmp_path / "out")
    assert (report.rows, report.kept, report.dropped_before, report.granularity) == (1, 1, 1, Granularity.DAY)
    assert "1 row of all relations fell to its cleaning" in report.lines()[1]
    from_source = from_graph(source, ["leads"], tmp_path / "all")
    kept = {row for row in rows_of(tmp_path / "all") if row.end is not None}
    assert (from_source.kept, rows_of(tmp_path / "out")) == (2, kept)
    assert len(load_graph(source_of(tmp_path / "out"))[0]) == 1


def test_traces_are_sampled_from_the_example_table(tmp_path: Path) -> None:
    tables = {"leaders": example_tables()["leaders"]}
    with open_tables(tables, {}) as database:
        report = to_graph(database.connection, database.tables["leaders"], FactColumns("name", "country", relation="role"), tmp_path)
    assert report.facts == report.rows
    assert report.handed_over > 500
    loaded = load_config(tmp_path / CONFIG_FILE, ["sampler.target=4", "graph.granularity=year"])
    graph, _ = load_graph(loaded.config.graph)
    lines = sample_traces(graph, loaded.config).lines
    records = [BenchmarkRecord.model_validate_json(line) for line in lines]
    assert records
    assert {fact.relation for record in records for fact in record.evidence} <= set(graph.relation_ids)


def test_questions_are_built_from_a_relation_of_a_bundled_graph(tmp_path: Path) -> None:
    report = from_graph(GraphConfig(path="bundled:years"), ["position-held"], tmp_path)
    assert (report.kept, report.left_out, report.relations) == (290, {}, ("position held",))
    config = load_config(tmp_path / CONFIG_FILE).config
    assert config.graph == GraphConfig(path="bundled:years")
    with open_tables(config.tdbench.tables, {}) as database:
        table = database.tables[report.table]
        rule = Dependency(determinants=("object",), dependent="subject")
        questions = list(build_questions(database.connection, table, [rule], TdbenchConfig(per_relation=2, most_lookups=5)))
    assert {question.relation for question in questions} >= {relation.name for relation in RELATIONS}
    assert all(question.determinants["object"] for question in questions)


def test_a_table_that_nothing_can_be_asked_of_is_told_with_the_dependency_to_declare(tmp_path: Path) -> None:
    following = {}
    for relation in ("position held", "drove for", "elected to"):
        asked = with_asking(from_graph(GraphConfig(path="bundled:years"), [relation], tmp_path / relation))
        following[relation] = asked.talk()[2:]
    assert [len(lines) for lines in following.values()] == [2, 1, 1]
    note, command = following["position held"]
    assert "nothing to ask of it unless one is declared: object ->T subject is broken by 212 of 2,235 pairs" in note
    *_, key = shlex.split(command)
    config = load_config(tmp_path / "position held" / CONFIG_FILE, [key]).config
    with open_tables(config.tdbench.tables, {}) as database:
        assert dependencies_of(database, "position_held", config.tdbench)[0].support > 0
    (tmp_path / "once").mkdir()
    (tmp_path / "once" / "f.tsv").write_text("Ana Roy\tleads\tFC Arn\t1990\t1992\n", encoding="utf-8")
    once = from_graph(GraphConfig(path=str(tmp_path / "once" / "f.tsv"), format="table"), ["leads"], tmp_path / "no")
    assert with_asking(once).talk()[-1].endswith("name other relations, or more of them")


def test_what_cannot_be_bridged_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    held = hold([Row(("Ana", "leads", "Arn"), 1, None)], COLUMNS)
    out = tmp_path / "out"
    with pytest.raises(TableError, match="no row makes a fact with an end"):
        to_graph(held.connection, held.table, FACT, out)
    with pytest.raises(ConfigError, match="Did you mean 'where'"):
        to_graph(held.connection, held.table, FactColumns("who", "were", relation="what"), out)
    odd = hold([Row(("Ana", "leads\tX", "Arn"), 1, 2)], COLUMNS)
    with pytest.raises(TableError, match="holds a tab"):
        to_graph(odd.connection, odd.table, FACT, out)
    with pytest.raises(ConfigError, match="one relation"):
        FactColumns("who", "where", relation="what", relation_name="leads")
    with pytest.raises(ConfigError, match="ids of one side"):
        FactColumns("who", "where", relation="what", subject_id="who")
    with pytest.raises(ConfigError, match="Did you mean 'position held'"):
        from_graph(GraphConfig(path="bundled:years"), ["position-hold"], out)
    assert not out.exists()


def test_the_name_of_a_table_is_one_that_sql_and_files_take() -> None:
    assert table_name(["Łódź"]) == "d"
    assert table_name(["1st", "x" * 80]) == ("relation_1st_and_" + "x" * 80)[:63]
    assert table_name(["谁"]) == "relation"


def test_the_commands_write_and_refuse(tmp_path: Path) -> None:
    table = tmp_path / "club.csv"
    table.write_text("player,club,start,end\nAna Roy,FC Arn,1990,1993\nBo Lind,FC Arn,1993,1995\nCy Dorn,FC Arn,1995,\n", encoding="utf-8")
    config = tmp_path / "my.yaml"
    config.write_text(f"dataset: x\ngraph: {{path: bundled:years}}\ntdbench: {{tables: {{club: {{path: {table}}}}}}}\n", encoding="utf-8")
    words = (
        "tdbench",
        "to-graph",
        str(config),
        "--table",
        "club",
        "--subject",
        "player",
        "--object",
        "club",
        "--relation-name",
        "plays for",
    )
    done = here(*words, "--out", str(tmp_path / "g"))
    assert done.returncode == 0, done.stderr
    assert "the graph calls before: 2, 2 of them" in done.stdout
    done = here(
        "tdbench", "from-graph", str(tmp_path / "g" / CONFIG_FILE), "--relation", "plays for", "--out", str(tmp_path / "t"), "--json"
    )
    assert done.returncode == 0, done.stderr
    assert '"kept": 3' in done.stdout
    assert "no table 'klub' in tdbench.tables. Did you mean 'club'?" in refused(
        "tdbench", "to-graph", str(config), "--table", "klub", *words[5:], "--out", str(tmp_path / "no")
    )
    assert "no such bundled graph" in refused("tdbench", "from-graph", "bundled:yeers", "--relation", "x", "--out", str(tmp_path / "no"))
    assert not (tmp_path / "no").exists()
