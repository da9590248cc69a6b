"""Questions about small tables in English that the rewriter does not write, with the answers that a person would give.

Written by hand before the verifier was tried on them; `None` marks a question that the rows do not settle, or that asks
for more than rows can say, so that only "cannot tell" is right. Persons and firms are invented.
"""

from __future__ import annotations

from typing import NamedTuple

from state.interval import Granularity
from state.table_instance import ShownRow, ShownTable
from state.table_roles import TableVerifyRequest


class Shown(NamedTuple):
    """Tables as a reader sees them."""

    tables: tuple[ShownTable, ...]
    unit: Granularity
    as_of: str | None


class Free(NamedTuple):
    """A question and what it should lead to."""

    shown: str
    question: str
    answers: frozenset[str] | None


def _table(name: str, columns: str, lines: str, ends: str = "exclusive", open_end: str = "ongoing") -> ShownTable:
    rows = []
    for line in lines.strip().splitlines():
        *values, start, end = (part.strip() for part in line.split("|"))
        rows.append(ShownRow(values=tuple(values), start=start, end=end or None))
    return ShownTable.model_validate(
        {"name": name, "columns": tuple(columns.split("|")), "ends": ends, "open_end": open_end, "rows": tuple(rows)}
    )


_LEADERS = _table(
    "leaders", "country|role|name",
    """
    Arland | Prime Minister | Ana Roy     | 1990-03-01 | 1994-06-15
    Arland | Prime Minister | Bo Lind     | 1994-06-15 | 1999-01-20
    Arland | Prime Minister | Cy Moe      | 1999-01-20 | 2003-05-04
    Arland | Prime Minister | Ana Roy     | 2003-05-04 | 2008-11-30
    Arland | Prime Minister | Di Falk     | 2008-11-30 |
    Arland | President      | Eli Horn    | 1988-07-01 | 2000-07-01
    Arland | President      | Fay Winter  | 2000-07-01 |
    Borund | Prime Minister | Gus Tallow  | 1991-02-02 | 2001-09-09
    Borund | Prime Minister | Ida Holt    | 2001-09-09 |
    """,
)  # fmt: skip
_FIRMS = _table(
    "firms", "organisation|role|name",
    """
    Fenn Mill | Chief Executive | Jon Abt    | 1998-04 | 2004-10
    Fenn Mill | Chief Executive | Lea Orr    | 2004-10 | 2011-02
    Fenn Mill | Chief Executive | Max Quill  | 2011-02 | 2016-08
    Fenn Mill | Chief Executive | Nia Stroud | 2016-08 |
    Fenn Mill | Chair           | Oz Perrin  | 2002-01 | 2012-12
    Garth & Co. | Chief Executive | Pia Lowe | 2000-05 | 2009-05
    """,
)  # fmt: skip
_LAWS = _table(
    "laws", "country|law|status",
    """
    Arland | Death penalty | in use    | 1900 | 1972
    Arland | Death penalty | abolished | 1972 |
    Arland | Civil unions  | banned    | 1950 | 1989
    Arland | Civil unions  | tolerated | 1989 | 2004
    Arland | Civil unions  | allowed   | 2004 |
    Borund | Civil unions  | banned    | 1960 |
    """,
)  # fmt: skip
_CLUBS = _table(
    "clubs", "player|club",
    """
    Mara Holt | FC Arn        | 1999 | 2003
    Mara Holt | Port Rangers  | 2004 | 2008
    Mara Holt | City of Velm  | 2009 | 2012
    Tom Reese | FC Arn        | 2001 | 2006
    """,
    ends="inclusive", open_end="unknown",
)  # fmt: skip
_GAMES = _table(
    "games", "event|country", "1996 Winter Cup | Arland | 1996-02-01 | 1996-02-14\n2002 Winter Cup | Borund | 2002-02-03 | 2002-02-17"
)

SHOWN = {
    "leaders": Shown((_LEADERS,), Granularity.DAY, "2010-06-30"),
    "firms": Shown((_FIRMS,), Granularity.MONTH, "2018-01-15"),
    "laws": Shown((_LAWS,), Granularity.YEAR, "2010-06-30"),
    "clubs": Shown((_CLUBS,), Granularity.YEAR, None),
    "hosts": Shown((_GAMES, _LEADERS), Granularity.DAY, "2010-06-30"),
}


def _free(shown: str, question: str, *answers: str) -> Free:
    return Free(shown, question, frozenset(answers))


def _open(shown: str, question: str) -> Free:
    return Free(shown, question, None)


FREE = (
    _free("leaders", "Who became Prime Minister of Arland on 20 January 1999?", "Cy Moe"),
    _free("leaders", "Who took office as Prime Minister of Arland on January 20, 1999?", "Cy Moe"),
    _free("leaders", "Which Prime Minister of Arland left office on 2003-05-04?", "Cy Moe"),
    _free("leaders", "Who was the Prime Minister of Arland on 1 January 1995?", "Bo Lind"),
    _free("leaders", "On the 1st of January 1995, who was Arland's Prime Minister?", "Bo Lind"),
    _free("leaders", "Who was Arland's Prime Minister in 1992?", "Ana Roy"),
    _free("leaders", "Who was Prime Minister of Arland in 1994?", "Ana Roy", "Bo Lind"),
    _free("leaders", "Who served as Prime Minister of Arland during May 2003?", "Cy Moe", "Ana Roy"),
    _free("leaders", "Who is currently Prime Minister of Arland?", "Di Falk"),
    _free("leaders", "Who is the President of Arland now?", "Fay Winter"),
    _free("leaders", "Who is still Prime Minister of Borund today?", "Ida Holt"),
    _free("leaders", "Which leaders started their term as Prime Minister of Arland after 1 January 2000?", "Ana Roy", "Di Falk"),
    _free("leaders", "Who began serving as Prime Minister of Arland before 1995?", "Ana Roy", "Bo Lind"),
    _free("leaders", "Who took office as Prime Minister of Arland no later than 20 January 1999?", "Ana Roy", "Bo Lind", "Cy Moe"),
    _free("leaders", "Who took office as Prime Minister of Arland in 1999 or later?", "Cy Moe", "Ana Roy", "Di Falk"),
    _free("leaders", "Who stepped down as Prime Minister of Arland in 1999?", "Bo Lind"),
    _free("leaders", "Who left office as Prime Minister of Arland before May 2003?", "Ana Roy", "Bo Lind"),
    _free("leaders", "Who left the office of Prime Minister of Arland between 1 January 1994 and 31 December 1999?", "Ana Roy", "Bo Lind"),
    _free("leaders", "Who served as Prime Minister of Arland from 15 June 1994 until 20 January 1999?", "Bo Lind"),
    _free("leaders", "Who, having started before 1 January 1995, was Prime Minister of Arland until after 1 January 1999?", "Bo Lind"),
    _free("leaders", "Who held the office of President of Arland throughout 1995?", "Eli Horn"),
    _free("leaders", "Name the person whose term as Prime Minister of Borund ended in September 2001?", "Gus Tallow"),
    _free("leaders", "Who has been Prime Minister of Borund since 9 September 2001?", "Ida Holt"),
    _free("leaders", "Who was Prime Minister of Arland when the term started after 1995 and ended before 2005?", "Cy Moe"),
    _free("leaders", "Whose term as Prime Minister of Arland began prior to 1 January 1991?", "Ana Roy"),
    _free("leaders", "Who took over as Prime Minister of Arland later than 1998 but earlier than 2004?", "Cy Moe", "Ana Roy"),
    _free("leaders", "Who led Arland as Prime Minister on 4 May 2003?", "Ana Roy"),
    _free("leaders", "Who took office as President of Borund in 1999?"),
    _free("leaders", "Who took office as Prime Minister of Arland in 1996?"),
    _free("leaders", "Who was in office as Prime Minister of Arland on both 1 May 1995 and 1 May 1998?", "Bo Lind"),
    _open("leaders", "Who was the first Prime Minister of Arland?"),
    _open("leaders", "Who was Prime Minister of Arland for the longest time?"),
    _open("leaders", "Who was not Prime Minister of Arland in 1995?"),
    _open("leaders", "Who was Prime Minister of Arland before Cy Moe?"),
    _open("leaders", "Who was Prime Minister of Arland around 1999?"),
    _open("leaders", "Who was Prime Minister of Arland in the early 1990s?"),
    _open("leaders", "Who was Prime Minister of Freedonia in 1995?"),
    _open("leaders", "Who was Prime Minister of Arland towards the end of 1994?"),
    _open("leaders", "Who won an election in Arland in 1999?"),
    _open("leaders", "How many Prime Ministers of Arland took office after 1995?"),
    _open("leaders", "Who left office as Prime Minister of Arland within three years of 1999?"),
    _free("firms", "Who was chief executive of Fenn Mill in March 2005?", "Lea Orr"),
    _free("firms", "Who took over as Chief Executive of Fenn Mill in October 2004?", "Lea Orr"),
    _free("firms", "Who ran Fenn Mill as Chief Executive in 2016?", "Max Quill", "Nia Stroud"),
    _free("firms", "As of January 2018, who is the Chief Executive of Fenn Mill?", "Nia Stroud"),
    _free("firms", "Who headed Fenn Mill as its Chief Executive as of 2010-06?", "Lea Orr"),
    _free("firms", "Who left as Chief Executive of Fenn Mill in or before February 2011?", "Jon Abt", "Lea Orr"),
    _free("firms", "Which person held the position of Chief Executive at Garth & Co. starting in May 2000?", "Pia Lowe"),
    _free("firms", "Who had been Chair of Fenn Mill, with a start date of January 2002 and an end date of December 2012?", "Oz Perrin"),
    _free("firms", "Who began as Chief Executive of Fenn Mill after April 1998 and stepped down by August 2016?", "Lea Orr", "Max Quill"),
    _free("firms", "Who was Chief Executive of Fenn Mill on 14 March 2005?", "Lea Orr"),
    _open("firms", "Who was Chief Executive of Fenn Mill on 14 October 2004?"),
    _open("firms", "Who was the boss of Fenn Mill in 2005?"),
    _free("laws", "What was the legal status of civil unions in Arland in 1995?", "tolerated"),
    _free("laws", "What was the status of the death penalty in Arland in 1960?", "in use"),
    _free("laws", "Which status did Civil unions have in Arland from 1989 to 2004?", "tolerated"),
    _free("laws", "What status of the Death penalty in Arland came into force in 1972?", "abolished"),
    _free("laws", "What is the current status of civil unions in Borund?", "banned"),
    _free("laws", "Which status of Civil unions in Arland started before 1960 and ended in 1989?", "banned"),
    _free("laws", "Which status of Civil unions in Arland has not ended?", "allowed"),
    _open("laws", "Why was the death penalty abolished in Arland in 1972?"),
    _free("clubs", "Which club did Mara Holt play for in 2003?", "FC Arn"),
    _free("clubs", "Which club did Mara Holt join in 2004?", "Port Rangers"),
    _free("clubs", "For which club did Mara Holt play from 2004 until 2008?", "Port Rangers"),
    _free("clubs", "What club did Tom Reese leave in 2006?", "FC Arn"),
    _free("clubs", "Which player joined FC Arn after 2000?", "Tom Reese"),
    _open("clubs", "Which club does Mara Holt play for now?"),
    _free("hosts", "Who was Prime Minister of the host country during the 1996 Winter Cup?", "Bo Lind"),
    _free("hosts", "Who was serving as Prime Minister of the country at the time of the 2002 Winter Cup?", "Ida Holt"),
    _open("hosts", "Who was Prime Minister of the country after the 2002 Winter Cup?"),
)  # fmt: skip


def request_for(free: Free) -> TableVerifyRequest:
    """What the verifier is shown of a question."""
    shown = SHOWN[free.shown]
    return TableVerifyRequest(question=free.question, tables=shown.tables, unit=shown.unit, as_of=shown.as_of)
