"""Question files in the published TDBench layout: each planted defect is found, a sound file is clean, no query can do harm."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.audit.reading import AuditError
from evaluation.audit.tdbench.auditor import audit_tables, published_tables
from evaluation.audit.tdbench.defects import MEANING, REMARKS, TableDefectKind
from evaluation.audit.tdbench.execution import PublishedTables
from evaluation.audit.tdbench.report import TableAuditReport
from evaluation.audit.tdbench.sql_reader import SqlRefused, read_sql
from evaluation.audit.tdbench.tables import open_published
from tests.command_line import here, refused

Json = dict[str, Any]
ROWS = [
    ("Arn", "King", "Ana Roy", "1990-01-01", "1995-03-01"),
    ("Arn", "King", "Bo Lind", "1995-03-01", "2001-06-30"),
    ("Arn", "King", "Cy Dorn", "2001-06-30", ""),
    ("Bel", "King", "Di Holt", "1980-05-05", "1985-05-05"),
    ("Bel", "King", "Ed Marr", "1984-01-01", "1990-02-02"),
    ("Cor", "Chair", "Fay Low", "1970-07-01", "1971-07-01"),
    *(("Dun", "Clerk", f"Gus {letter}.", f"19{number}0-01-01", f"19{number}5-01-01") for number, letter in enumerate("ABCDEFG", start=2)),
]
QUERY = 'select Name, start, end from realm where Country = "{}" and Role = "{}"{}'


def stated(row: Sequence[str]) -> Json:
    return {"Name": row[2], "Start": f"{row[3]} 00:00:00", "End": f"{row[4]} 00:00:00" if row[4] else None}


def record(idx: int, country: str, condition: str, answers: str, *, qtype: str = "", op: str | None = None, **changed: Any) -> Json:
    """A sound record: those of the country's rows answer whose initials are given."""
    rows = [row for row in ROWS if row[0] == country]
    correct = [stated(row) for row in rows if row[2][-2 if country == "Dun" else 0] in answers]
    cardinality = ("none", "unique", "multiple")[min(len(correct), 2)]
    made: Json = {"idx": idx, "qtype": qtype or f"basic_{cardinality}"} | ({"op": op} if op else {})
    made["sql_for_db"] = QUERY.format(country, rows[0][1], f" and {condition}" if condition else "")
    made |= {"correct_rows": correct, "incorrect_rows": [stated(row) for row in rows if stated(row) not in correct]}
    return made | {"questions": [f"Who of {country} is asked for in {idx}?", f"Name the holder in {country}, number {idx}."]} | changed


def sound() -> list[Json]:
    return [
        record(0, "Arn", "Start > '1995-12-31 00:00:00'", "C", op="after"),
        record(1, "Arn", "End < '2001-07-31 00:00:00'", "AB", op="before"),
        record(2, "Arn", "date(End) = date('1995-07-01 00:00:00', '-4 month')", "A", op="meet"),
        record(3, "Arn", "Start < '1996-01-01 00:00:00' and End > '2001-01-01 00:00:00'", "B", op="contain"),
        record(4, "Arn", "Start < '2001-07-01 00:00:00' and End > '2001-07-01 00:00:00'", "C", op="contain"),
        record(5, "Arn", "Start between '1994-01-01 00:00:00' and '1994-12-31 00:00:00' and End > '1995-01-01'", "", op="overlapped-by"),
        record(6, "Arn", "End IS NULL", "C", qtype="now"),
        record(7, "Cor", "'1970-08-01' between Start and End", "F", qtype="now"),
        record(8, "Cor", "", "F", qtype="join_2hop", op="Name"),
        record(9, "Dun", "Start < '1960-01-01 00:00:00'", "ABCD"),
    ]


def planted() -> list[tuple[TableDefectKind, Json]]:
    kind = TableDefectKind
    late = record(25, "Arn", "Start between '1990-01-01' and '1990-12-31' and End < '2002-01-01'", "A", op="start")
    loose = record(26, "Arn", "Start between '1995-01-01' and '1995-12-31'", "B", op="started-by")
    return [
        (kind.REFUSED, record(20, "Arn", "", "C", sql_for_db="drop table realm")),
        (kind.WRONG_ANSWERS, record(21, "Arn", "Start > '1995-12-30'", "C") | {"correct_rows": [stated(ROWS[0])]}),
        (kind.WRONG_DISTRACTORS, record(22, "Arn", "Start > '1995-12-29'", "C", incorrect_rows=[stated(ROWS[0])])),
        (kind.NOT_NEEDED, record(23, "Arn", "Start > '1980-01-01'", "ABC")),
        (kind.TIE, record(24, "Arn", "", "A", sql_for_db=QUERY.format("Arn", "King", " order by Role desc limit 1"))),
        (kind.FUTURE, late | {"sql_for_db": late["sql_for_db"].replace("2002-01-01", "2002-01-02"), "op": None}),
        (kind.LOOSE_RELATION, loose),
        (kind.TOO_MANY, record(27, "Dun", "Start < '1979-01-01'", "ABCDEF")),
        (kind.WRONG_CLASS, record(28, "Arn", "Start > '1995-12-28'", "C", qtype="basic_multiple")),
        (kind.BROKEN_DEPENDENCY, record(29, "Bel", "Start < '1983-01-01'", "D")),
        (kind.ANSWER_LEAK, record(30, "Arn", "Start > '1995-12-27'", "C", questions=["Was it  cy DORN?", "Who?"])),
        (kind.BLANK_QUESTION, record(31, "Arn", "Start > '1995-12-26'", "C", questions=["Who is it of these?", " "])),
        (kind.OUTER_BLANKS, record(32, "Arn", "Start > '1995-12-25'", "C", questions=["Who is it then?\n"])),
        (kind.DUPLICATE, record(33, "Arn", "START > '1995-12-31'", "C")),
    ]


@pytest.fixture
def realm(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "realm"
    folder.mkdir(parents=True)
    lines = ["Country,Role,Name,Start,End", *(",".join(row) for row in ROWS)]
    (folder / "offices.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder.parent


def audited(realm: Path, records: Sequence[object], *, array: bool = False, as_of: str | None = None) -> TableAuditReport:
    path = realm / "questions.jsonl.gz"
    text = json.dumps(records) if array else "\n".join(map(json.dumps, records))
    path.write_bytes(gzip.compress(text.encode()))
    with published_tables(str(realm), as_of=as_of) as tables:
        return audit_tables(path, tables)


@pytest.mark.parametrize("array", [True, False])
def test_a_sound_file_is_clean(realm: Path, array: bool) -> None:
    report = audited(realm, sound(), array=array, as_of="2002-01-01")
    assert report.defects == ()
    assert report.is_clean
    assert (report.records, report.executed, report.tables) == (10, 10, ("offices",))
    assert report.lines()[-1] == "audited 10 records: no defect found"


def test_each_planted_defect_is_found_and_nothing_else(realm: Path) -> None:
    plants = planted()
    assert {kind for kind, _ in plants} == set(TableDefectKind) == set(MEANING)
    report = audited(realm, [*sound(), *(made for _, made in plants)], as_of="2002-01-01")
    found = {(int(row.id), row.kind) for row in report.defects}
    assert found == {(made["idx"], kind) for kind, made in plants}
    assert report.any_defect.all.hits == len(plants) - len(REMARKS)
    assert report.any_but_blanks.all.hits == len(plants) - len(REMARKS) - 1
    assert (report.records, report.executed) == (24, 23)
    assert not report.is_clean
    (why,) = [row.why for row in report.defects if row.kind is TableDefectKind.WRONG_ANSWERS]
    assert why == (
        "it states 1 that the table does not give: Ana Roy, 1990-01-01, 1995-03-01; "
        "it lacks 1 that the table gives: Cy Dorn, 2001-06-30, no end"
    )


def test_only_a_remark_leaves_a_file_clean(realm: Path) -> None:
    report = audited(realm, [dict(planted())[TableDefectKind.LOOSE_RELATION]])
    assert [row.kind for row in report.defects] == [TableDefectKind.LOOSE_RELATION]
    assert report.is_clean


def test_without_an_as_of_day_the_last_date_of_the_table_is_the_horizon(realm: Path) -> None:
    late = record(0, "Arn", "End < '2001-07-01 00:00:00'", "AB")
    assert [row.why for row in audited(realm, [late]).defects] == ["it names 2001-07-01, and the table's last date is 2001-06-30"]
    assert audited(realm, [late], as_of="2001-07-01").is_clean


def test_an_unknown_end_stands_in_no_comparison(realm: Path) -> None:
    config = realm / "my.yaml"
    table = f"{{path: {realm}/realm/offices.csv, open_end: unknown}}"
    config.write_text(f"dataset: x\ngraph: {{path: bundled:years}}\ntdbench: {{tables: {{realm: {table}}}}}\n", encoding="utf-8")
    select = read_sql("select Name, end from realm where Country = 'Arn' and End > '1995-01-01'")
    with published_tables(str(config)) as unknown, published_tables(str(realm)) as ongoing:
        assert unknown.run(unknown.meaning(select)).rows == (0, 1)
        assert ongoing.run(ongoing.meaning(select)).rows == (0, 1, 2)


HOSTILE = (
    "", "   ", "select", "drop table t0", "pragma database_list", "install httpfs", "attach 'x.db'", "copy t0 to 'stolen.csv'",
    'select Name, start from realm where Country = "Arn"; drop table t0', "select Name, start from realm;",
    'select Name, start from realm where Country = "Arn" union select Name, start from realm', "with x as (select 1) select * from x",
    "select Name, start from realm where Country = 'Arn' or 1 = 1", "select Name, start from realm -- end",
    "select Name, start from realm /* end */", "select * from information_schema.tables", "select * from duckdb_settings()",
    "select * from read_text('/etc/passwd')", "select Name from '/etc/passwd' where Name = 'x'", "select Name, start from sqlite_master",
    "select Name from t0", "select getenv('HOME') from realm", "select Name, start from realm where Country = (select Name from realm)",
    "select Name from realm where date(Start) = date('now')", "select Name from realm where Start > 'tomorrow'",
    "select Password, start from realm", "select start, end from realm", "select Name from realm where Country = 'Arn",
    "select Name from realm where Country in ('Arn')", "select Name from realm where Country like '%'", "select Name from realm limit -1",
    "select Name from realm where Country > 'A'", "select Name from realm where Start = Country", "select Name from realm limit 1 offset 1",
    "select Name from realm where date(Start, '+1 year') = '1991-01-01'", "select Name from realm where date(Start, '1; drop') = '1'",
    "select Name from realm where Start > '99999999999999999999-01-01'", "select Name\0 from realm",
    "select Name from realm where Naïve = 1",
    "select Name from realm where Country = 'a' " + "and Country = 'a' " * 1000, "select place from realm", "select c0 from realm",
)  # fmt: skip


def test_no_hostile_query_is_run_and_each_is_counted(realm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.rglob("*"))
    records = [sound()[0], *(record(number, "Arn", "", "C", sql_for_db=sql) for number, sql in enumerate(HOSTILE, start=50))]
    report = audited(realm, [*records, sound()[1]], as_of="2002-01-01")
    refused_ids = {int(row.id) for row in report.defects if row.kind is TableDefectKind.REFUSED}
    assert refused_ids == set(range(50, 50 + len(HOSTILE)))
    assert report.executed == 2
    assert {row.id for row in report.defects} == set(map(str, refused_ids))
    assert set(tmp_path.rglob("*")) - before == {realm / "questions.jsonl.gz"}


def test_a_literal_that_looks_like_sql_is_a_literal(realm: Path) -> None:
    with published_tables(str(realm)) as tables:
        for literal in ("Arn' or '1'='1", "'; drop table t0; --", "Arn\\", "Arn%"):
            assert tables.run(tables.meaning(read_sql(f'select Name from realm where Country = "{literal}"'))).rows == ()
        assert tables.run(tables.meaning(read_sql("SELECT NAME FROM Offices WHERE country = 'Arn'"))).rows == (0, 1, 2)


@settings(max_examples=80)
@given(
    st.lists(st.sampled_from([*"abcd();,.'\"*=<> \n-%é\0", "select ", "Name ", "from ", "realm ", "where ", "between ", "and ", "date("]))
)
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    for text in ("".join(parts), 'select Name from realm where Country = "x" ' + "".join(parts)):
        try:
            select = read_sql(text)
        except SqlRefused:
            continue
        assert select.table.isidentifier() or f'"{select.table}' in text.replace('""', '"')


days = st.builds(
    lambda year, month, day: f"{year}-{month:02d}-{day:02d}",
    st.integers(1990, 1992), st.sampled_from([1, 2, 3, 12]), st.sampled_from([1, 28, 31]),
).filter(lambda text: not text.endswith("02-31"))  # fmt: skip
bounds = st.sampled_from(["Start", "end", '"End"', '"start"'])
conditions = st.one_of(
    st.builds("{} {} '{} 00:00:00'".format, bounds, st.sampled_from(["<", ">", "<=", ">=", "="]), days),
    st.builds("{} between '{} 00:00:00' and '{} 00:00:00'".format, bounds, days, days),
    st.builds("'{} 00:00:00' between Start and End".format, days),
    st.builds("date({}) = date('{} 00:00:00', '{}{} {}')".format, bounds, days,
              st.sampled_from("-+"), st.integers(1, 12), st.sampled_from(["month", "year", "day"])),
    st.builds('role = "{}"'.format, st.sampled_from("pq")),
    st.builds("{} is {}null".format, st.sampled_from(["Name", "Start"]), st.sampled_from(["", "not "])),
)  # fmt: skip
tails = st.sampled_from(["", " order by Start limit 2", " order by name desc limit 1", " order by end", " limit 50"])


@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from(["Ana", "Bo", "10", "9"]), days, days | st.just("")), min_size=1, max_size=6),
    st.lists(conditions, max_size=3),
    tails,
)
def test_queries_give_what_sqlite_gives_for_their_own_text(rows: list[tuple[str, str, str, str]], parts: list[str], tail: str) -> None:
    sql = "select Name, start, End from realm" + (" where " + " and ".join(parts) if parts else "") + tail
    other = sqlite3.connect(":memory:")
    other.execute("create table realm (role text, Name text, Start text, End text)")
    far = [(role, name, f"{start} 00:00:00", f"{end} 00:00:00" if end else "9999-12-31 00:00:00") for role, name, start, end in rows]
    other.executemany("insert into realm values (?, ?, ?, ?)", far)
    expected = other.execute(sql).fetchall()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "realm.csv")
        file.write_text("role,Name,Start,End\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        tables, _ = open_published(file)
    with PublishedTables(tables) as published:
        ran = published.run(published.meaning(read_sql(sql)))
    found = [
        (name, f"{start} 00:00:00", f"{end} 00:00:00" if end else "9999-12-31 00:00:00")
        for _, name, start, end in map(rows.__getitem__, ran.rows)
    ]
    if not ran.is_tied and "name" not in tail:  # SQLite sorts texts as texts, and the program had numbers there
        assert sorted(found) == sorted(expected)


def test_a_folder_may_hold_packed_tables_of_one_name_and_files_that_are_none(realm: Path) -> None:
    (realm / "realm" / "notes.csv").write_text("word,meaning\na,b\n", encoding="utf-8")
    games = "Edition,City,Start,End\n1,Arn,1990,1990\n"
    (realm / "realm" / "games.csv.gz").write_bytes(gzip.compress(games.encode()))
    with published_tables(str(realm)) as tables:
        assert [table.name for table in tables.tables] == ["games", "offices"]
        (note,) = tables.notes
        assert "notes.csv" in note
        assert tables.meaning(read_sql("select City from realm where Edition = '1'")).table.name == "games"
        with pytest.raises(SqlRefused, match="several tables have its columns: games, offices"):
            tables.meaning(read_sql("select * from realm where Start > '1990'"))
        with pytest.raises(SqlRefused, match="no table 'reelm'; known: games, offices, realm"):
            tables.meaning(read_sql("select City from reelm"))


def test_names_may_stand_in_double_quotes_and_one_question_may_be_the_only_one(realm: Path) -> None:
    quoted = """SELECT "Name", "Start", "End" FROM "realm" WHERE "Country" = 'Arn' AND "Role" = "King" AND "End" < '2001-07-31'"""
    one = record(0, "Arn", "", "AB", sql_for_db=quoted, question="Which  of them was Bo Lind?") | {"questions": None}
    report = audited(realm, [one], as_of="2002-01-01")
    assert [row.kind for row in report.defects] == [TableDefectKind.ANSWER_LEAK]
    assert "it has no questions yet" not in " ".join(report.lines())
    with published_tables(str(realm)) as tables, pytest.raises(SqlRefused, match="no column on either side of <; Start and End are"):
        tables.meaning(read_sql("""select Name from realm where "Ende" < '2001-07-31'"""))


def test_lines_that_are_no_records_are_told_and_a_file_without_any_is_refused(realm: Path) -> None:
    lines = [
        sound()[0],
        {"idx": 1},
        7,
        {**sound()[1], "correct_rows": [1]},
        {**sound()[1], "questions": "Who?"},
        {**sound()[1], "idx": None},
    ]
    report = audited(realm, lines)
    assert (report.records, report.bad_line_count) == (1, 5)
    assert [line.number for line in report.bad_lines] == [2, 3, 4, 5, 6]
    assert report.bad_lines[0].what.endswith("it lacks qtype, sql_for_db, correct_rows, incorrect_rows")
    assert not report.is_clean
    with pytest.raises(AuditError, match="holds no record of format tdbench"):
        audited(realm, [{"trace": 1}])


def test_the_command_reports_writes_and_refuses(realm: Path, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, [*sound(), planted()[-1][1]])), encoding="utf-8")
    out = tmp_path / "out"
    done = here("audit", str(path), "--tables", str(realm), "--as-of", "2002-01-01", "--format", "tdbench", "--out", str(out))
    assert done.returncode == 1
    assert "duplicate: 33 (line 11): it has the query of record 1" in done.stdout
    assert (out / "audit.csv").read_text(encoding="utf-8") == (
        "line,id,part,kind,why\n11,33,unique,duplicate,it has the query of record 1\n"
    )
    assert json.loads((out / "audit.json").read_bytes())["file_format"] == "tdbench"
    assert "one source" in refused("audit", str(path))
    assert "one source" in refused("audit", str(path), "--tables", str(realm), "--graph", "bundled:years")
    assert "is audited with --tables" in refused("audit", str(path), "--graph", "bundled:years")
    assert "with --graph" in refused("audit", str(path), "--tables", str(realm), "--format", "ours")
    assert "--as-of" in refused("audit", str(path), "--graph", "bundled:years", "--as-of", "2002-01-01")
    assert "is no day" in refused("audit", str(path), "--tables", str(realm), "--as-of", "2002")
    assert "no such file" in refused("audit", str(path), "--tables", str(tmp_path / "no"))


SHIPPED = {
    "basic_0": (1300, (17, 22, 5, 12, 71)),
    "basic_1": (1200, (42, 0, 4, 94, 72)),
    "basic_2": (1200, (18, 0, 1, 43, 67)),
    "now_2": (22, (0, 0, 0, 0, 0)),
}
"""Records of each shipped list, and their defects of the counted kinds, as of 4 May 2025."""
COUNTED = (
    TableDefectKind.NOT_NEEDED, TableDefectKind.WRONG_DISTRACTORS, TableDefectKind.WRONG_CLASS, TableDefectKind.DUPLICATE,
    TableDefectKind.FUTURE,
)  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] if name.startswith("basic") else []) for name in SHIPPED])
def test_the_shipped_lists_have_the_defects_that_are_known(shared_data: Path, name: str) -> None:
    folder = shared_data / "tdbench"
    with published_tables(str(folder / "dataset" / "crafted"), as_of="2025-05-04") as tables:
        report = audit_tables(folder / "qa_pairs" / "dyknow" / f"{name}_sql.json.gz", tables)
    found = {rate.kind: rate.rates.all.hits for rate in report.kinds if rate.rates.all.hits}
    assert (report.records, tuple(found.get(kind, 0) for kind in COUNTED)) == SHIPPED[name]
    assert set(found) - set(COUNTED) <= REMARKS | {TableDefectKind.BROKEN_DEPENDENCY}
    assert report.executed == report.records
