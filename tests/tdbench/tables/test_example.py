"""The example database: whole, consistent with itself, and its dependencies hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from state.interval import Granularity, parse_granule
from tdbench.table import quote
from tdbench.tables.example import AS_OF, example_tables
from tdbench.tables.store import TemporalDatabase, open_tables


@pytest.fixture(scope="module")
def example() -> Iterator[TemporalDatabase]:
    with open_tables(example_tables(), {}) as database:
        yield database


def test_no_row_of_the_example_is_dropped_or_mended(example: TemporalDatabase) -> None:
    for report in example.reports.values():
        assert report.kept == report.rows
        assert report.zero_length == 0
    assert sum(table.rows for table in example.tables.values()) >= 600
    assert [str(example.tables[name].granularity) for name in ("games", "leaders", "organisations", "laws")] == [
        "day",
        "day",
        "month",
        "year",
    ]


@pytest.mark.parametrize("name", list(example_tables()))
def test_the_unit_and_the_columns_of_time_would_be_guessed_alike(example: TemporalDatabase, name: str) -> None:
    config = example_tables()[name].model_copy(update={"granularity": None})
    with open_tables({name: config}, {}) as guessed:
        assert guessed.tables[name] == example.tables[name]
        assert guessed.reports[name].content == example.reports[name].content


def rows(example: TemporalDatabase, table: str) -> list[dict[str, str]]:
    cursor = example.connection.execute(f"SELECT * FROM {quote(table)} ORDER BY _row")
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@pytest.mark.parametrize("name", list(example_tables()))
def test_rows_that_agree_on_the_left_of_a_dependency_never_overlap(example: TemporalDatabase, name: str) -> None:
    for rule in example_tables()[name].dependencies[:1]:
        groups = defaultdict(list)
        for row in rows(example, name):
            groups[tuple(row[column] for column in rule.determinants)].append((row["_start"], row["_end"]))
        for spans in groups.values():
            for (_, end), (start, _) in pairwise(sorted(spans, key=lambda span: span[0])):
                assert end is not None
                assert end <= start


def test_a_city_hosts_for_one_country_and_no_two_games_of_a_season_share_a_day(example: TemporalDatabase) -> None:
    hosts = defaultdict(set)
    for row in rows(example, "games"):
        hosts[row["city"]].add(row["country"])
    assert all(len(countries) == 1 for countries in hosts.values())


def test_countries_are_spelled_alike_in_all_tables(example: TemporalDatabase) -> None:
    leaders = {row["country"] for row in rows(example, "leaders")}
    assert {row["country"] for row in rows(example, "games")} <= leaders
    assert {row["country"] for row in rows(example, "laws")} <= leaders


def test_every_games_but_the_first_meets_leaders_of_its_host_and_one_meets_two_of_a_role(example: TemporalDatabase) -> None:
    query = """
        SELECT g.city, g.edition, l.role, count(l.name) AS leaders FROM games g
        LEFT JOIN leaders l ON l.country = g.country AND l._start < g._end AND (l._end IS NULL OR l._end > g._start)
        GROUP BY g.city, g.edition, g.season, l.role HAVING leaders != 1 ORDER BY g.city
    """
    assert example.connection.execute(query).fetchall() == [("Athens", "1", None, 0), ("Paris", "8", "President", 2)]


def test_a_person_has_one_spelling(example: TemporalDatabase) -> None:
    names = {row["name"] for table in ("leaders", "organisations") for row in rows(example, table)}
    plain = defaultdict(set)
    for name in names:
        plain["".join(letter for letter in name.lower() if letter.isascii() and letter.isalpha())].add(name)
    assert [sorted(spellings) for spellings in plain.values() if len(spellings) > 1] == []
    assert {"António Guterres", "Gro Harlem Brundtland", "Christine Lagarde", "Mark Carney"} <= names


def test_nothing_starts_or_ends_after_the_day_of_the_example(example: TemporalDatabase) -> None:
    today = {Granularity.DAY: parse_granule(AS_OF), Granularity.MONTH: parse_granule(AS_OF[:7]), Granularity.YEAR: parse_granule(AS_OF[:4])}
    for name, table in example.tables.items():
        for row in rows(example, name):
            assert int(row["_start"]) <= today[table.granularity]
            assert row["_end"] is None or int(row["_end"]) <= today[table.granularity]


def test_who_leads_still_is_the_last_of_the_line_and_each_line_is_long_enough_to_ask_about(example: TemporalDatabase) -> None:
    lines = defaultdict(list)
    for row in rows(example, "leaders"):
        lines[row["country"], row["role"]].append(row)
    assert len({country for country, _ in lines}) >= 20
    for line in lines.values():
        assert all(row["_end"] is not None for row in line[:-1])
        assert all(row["name"] != after["name"] for row, after in pairwise(line) if row["_end"] == after["_start"])
    ended = {country for (country, _), line in lines.items() if line[-1]["_end"] is not None}
    assert ended == {"Soviet Union", "Yugoslavia"}


def test_the_files_are_plain_utf8_with_unix_line_ends() -> None:
    for config in example_tables().values():
        data = Path(str(config.path)).read_bytes()
        assert data.decode().splitlines(keepends=True)[-1].endswith("\n")
        assert b"\r" not in data
        assert not data.startswith(b"\xef\xbb\xbf")


def test_the_readme_counts_what_is_there(example: TemporalDatabase) -> None:
    readme = (Path(str(example_tables()["games"].path)).parent / "README.md").read_text(encoding="utf-8")
    for name, table in example.tables.items():
        assert f"| `{name}.csv` | {table.rows} | {table.granularity} |" in readme
    for table, column, words in (
        ("leaders", "country", "in one of {} countries"),
        ("organisations", "organisation", "one of {} organisations"),
        ("laws", "country", "the law of one of {} countries"),
        ("laws", "law", "in one of {} matters"),
    ):
        assert words.format(len({row[column] for row in rows(example, table)})) in readme


def test_a_games_is_named_by_its_event_and_by_its_edition_with_its_season(example: TemporalDatabase) -> None:
    games = rows(example, "games")
    assert len({row["event"] for row in games}) == len({(row["edition"], row["season"]) for row in games}) == len(games)
    for row in games:
        held = 1970 + int(row["_start"]) // 365.2425
        assert row["event"] == f"{2020 if held == 2021 else int(held)} {row['season']} Olympics"
