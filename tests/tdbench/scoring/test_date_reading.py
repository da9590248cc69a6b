from __future__ import annotations

import pytest

from tdbench.scoring.date_reading import names_a_span, read_dates
from tdbench.scoring.reply_text import normalise_reply

Read = tuple[str, ...]


def read(text: str) -> Read:
    """Each date as `2004-5-3 role`, or `present`."""
    return tuple(
        "present" if date.is_present else f"{'|'.join('-'.join(str(part) for part in day if part) for day in date.readings)} {date.role}"
        for date in read_dates(normalise_reply(text))
    )


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2004", "2004"),
        ("May 2004", "2004-5"),
        ("May, 2004", "2004-5"),
        ("Sept. 2004", "2004-9"),
        ("5 May 2004", "2004-5-5"),
        ("5th of May, 2004", "2004-5-5"),
        ("May 5, 2004", "2004-5-5"),
        ("May 5th 2004", "2004-5-5"),
        ("MAY 5, 2004", "2004-5-5"),
        ("5-May-2004", "2004-5-5"),
        ("2004-May-05", "2004-5-5"),
        ("05/2004", "2004-5"),
        ("5.2004", "2004-5"),
        ("2004-05", "2004-5"),
        ("2004/05", "2004-5"),
        ("2004-05-03", "2004-5-3"),
        ("2004/05/03", "2004-5-3"),
        ("2004-05-03T00:00:00Z", "2004-5-3"),
        ("2004-05-03 00:00:00", "2004-5-3"),
        ("+2004-05-03T00:00:00Z", "2004-5-3"),
        ("+2004-00-00T00:00:00Z", "2004"),
        ("05/03/2004", "2004-5-3|2004-3-5"),
        ("31.12.2004", "2004-12-31"),
        ("44 BC", "-43"),
        ("476 AD", "476"),
        ("early 2004", "2004"),
        ("mid-2004", "2004"),
    ],
)
def test_a_date_is_read_in_any_common_format(text: str, date: str) -> None:
    assert read(text) == (f"{date} unknown",)
    assert read(f"Bo Lind ({text}).") == (f"{date} unknown",)
    assert read(f"since {text}, they say") == (f"{date} start",)
    assert read(f"until {text}") == (f"{date} end",)
    assert read(f"from {text} to present") == (f"{date} start", "present")


@pytest.mark.parametrize(
    "text", ["the 1990s", "$2004", "2004.5 points", "12,2004", "2004%", "A2004", "20041", "31 February 2004/2", "room 204"]
)
def test_a_number_that_is_no_date_is_not_read(text: str) -> None:
    assert not [date for date in read(text) if not date.startswith(("2004 ", "2004-2"))]
    assert text == "31 February 2004/2" or not read(text)


@pytest.mark.parametrize(
    "text",
    [
        "from 2004 to 2009",
        "2004-2009",
        "2004–2009",
        "2004 – 09",
        "2004–09",
        "(2004 - 2009)",
        "2004 until 2009",
        "2004 through 2009",
        "between 2004 and 2009",
        "from early 2004 up to late 2009",
        "started in 2004 and ended in 2009",
        "began his term in 2004, leaving office in 2009",
        "Start: 2004, End: 2009",
        "Start date: 2004\nEnd date: 2009",
        "2004 (start) and 2009 (end)",
        "In 2004 she took office, and in 2009 she resigned",
        "became leader in 2004 and was succeeded by Cy Moe in 2009",
        "succeeded Ana Roy in 2004 and was replaced in 2009",
        "sworn in during 2004; in power until his death in 2009",
        "appointed 2004, dismissed 2009",
        "| Start | 2004 | End | 2009 |",
        "at the end of 2004 he took office and he left at the beginning of 2009",
    ],
)
def test_a_start_and_an_end_are_told_apart(text: str) -> None:
    assert read(text) == ("2004 start", "2009 end")


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("served until 2009, having been elected in 2004", ("2009 end", "2004 start")),
        ("5-10 May 2004", ("2004-5-5 start", "2004-5-10 end")),
        ("May 5 to June 7, 2004", ("2004-5-5 start", "2004-6-7 end")),
        ("3 May to 7 June 2004", ("2004-5-3 start", "2004-6-7 end")),
        ("May 5-10, 2004", ("2004-5-5 start", "2004-5-10 end")),
        ("from March to July 2004", ("2004-3 start", "2004-7 end")),
        ("44 BC - 14 BC", ("-43 start", "-13 end")),
        ("2004 to 2009, then from 2012 to 2015", ("2004 start", "2009 end", "2012 start", "2015 end")),
        ("moved from Arn to Bel in 2004", ("2004 unknown",)),
        ("born in 1950, elected in 2004", ("1950 unknown", "2004 start")),
        ("In 2005, resigned in 2009", ("2005 unknown", "2009 end")),
        ("He took office. In 2004 it rained", ("2004 unknown",)),
        ("2004 and 2009", ("2004 unknown", "2009 unknown")),
        ("since 2004, currently in office", ("2004 start", "present")),
        ("not currently in office; left in 2009", ("2009 end",)),
        ("Start: 2004. End date: none", ("2004 start", "present")),
        ("Start and end of his term: 2004 (start), 2009 (end)", ("2004 start", "2009 end")),
        ("2004 (start), 2009", ("2004 start", "2009 unknown")),
        ("elected by parliament, he resigned in 2009", ("2009 end",)),
        ("In 2004 his appointment began what ended in 2009", ("2004 start", "2009 end")),
        ("In 2004 she began. She resigned in 2009", ("2004 start", "2009 end")),
        ("05/2004 until 2009-06-01", ("2004-5 start", "2009-6-1 end")),
    ],
)
def test_a_role_comes_from_the_nearest_word_that_gives_one(text: str, dates: Read) -> None:
    assert read(text) == dates


def test_a_question_names_a_span_only_with_two_dates_that_bound_it() -> None:
    assert names_a_span("who led arn between the start of 2004 and late december 2009?")
    assert names_a_span("who led arn from may 2004 to june 2009?")
    assert names_a_span("who led arn between may 1, 2004, and june 30, 2009?")
    assert names_a_span("who led arn after the start of 2004 but before the end of 2009?")
    assert not names_a_span("whose term began after 2004 and ended before 2009?")
    assert not names_a_span("who started to lead arn after may 2004?")
    assert not names_a_span("who led arn in 2004 and in 2009?")


def test_reasoning_is_no_part_of_a_reply_and_one_that_is_cut_off_leaves_none() -> None:
    assert normalise_reply("<think>Bo Lind, 2004</think>Cy Moe") == "cy moe"
    assert normalise_reply("Bo Lind</THINK>\nCy Moe\n\n2009") == "cy moe\n2009"
    assert normalise_reply("<think>Bo Lind seems") == ""
