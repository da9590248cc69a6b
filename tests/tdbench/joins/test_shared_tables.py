"""The published join: how much of it a join by text of the published tables gives."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from state.tdbench_config import Dependency, JoinConfig, TableConfig, TdbenchConfig
from tdbench.joins.natural import build_joins
from tdbench.joins.questions import join_questions
from tdbench.tables.store import open_tables


def test_a_join_by_text_gives_20_of_the_66_published_rows_and_35_are_of_persons_whom_the_leaders_lack(shared_data: Path) -> None:
    folder = shared_data / "tdbench" / "dataset" / "crafted"
    name = Dependency(determinants=("Country", "Role"), dependent="Name")
    tables = {
        "games": TableConfig(path=str(folder / "olympic" / "olympic.csv"), ends="inclusive"),
        "leaders": TableConfig(path=str(folder / "dyknow" / "dyknow_leaders.csv"), dependencies=(name,)),
    }
    config = TdbenchConfig(
        tables=tables, joins={"hosts": JoinConfig(tables=("games", "leaders"), given=(("Game_name",), ("Game_edition", "Season")))}
    )
    with (folder / "olympic" / "olympic_dyknow_leaders.csv").open(encoding="utf-8", newline="") as lines:
        published = {(row["Country"], row["Role"], row["Name"], row["Game_name"]) for row in csv.DictReader(lines)}
    with open_tables(tables, {}) as database:
        build_joins(database.connection, database.tables, config)
        joined = set(database.connection.execute('SELECT "Country", "Role", "Name", "Game_name" FROM hosts').fetchall())
        persons = {person for (person,) in database.connection.execute('SELECT "Name" FROM leaders').fetchall()}
        questions = list(join_questions(database.connection, database.tables, config))
    assert (len(published), len(joined), len(published & joined)) == (66, 22, 20)
    missing = published - joined
    assert sum(person not in persons for _, _, person, _ in missing) == 35
    assert Counter(question.hops for question in questions) == {2: 21, 3: 21}
