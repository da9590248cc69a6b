"""Forty replies with the verdicts that a person gave them, covering every class; all names are invented."""

from __future__ import annotations

from typing import NamedTuple

from state.tdbench_scoring import (
    TIME_CHECKED,
    AlignmentClass,
    AnswerClass,
    AnswerRow,
    Cardinality,
    RelationName,
    ScoredQuestion,
    TimeVerdict,
)

BO = AnswerRow(name="Bo Lind", start="2004-05-03", end="2009-06-30")
ANA = AnswerRow(name="Ana Roy Holt", aliases=("A. R. Holt",), start="1998-02-01", end="2004-05-03")
CY = AnswerRow(name="Cy Moe", start="2009-06-30", end="2014-01-15")
DI = AnswerRow(name="Di Vann, Countess of Arn", start="2014-01-15", end="2018-09-01")
EK = AnswerRow(name="Ek Tam", start="2018-09-01")
EVERYBODY = (ANA, BO, CY, DI, EK)


def ask(
    ident: str,
    relation: RelationName,
    *gold: AnswerRow,
    cardinality: Cardinality | None = None,
    text: str = "Who led Arn?",
    **more: object,
) -> ScoredQuestion:
    """A question about the leaders of Arn; the rows that are not gold are its distractors."""
    checked = TIME_CHECKED.get(relation, "start" if relation == "now" else "both")  # type: ignore[call-overload]
    fields: dict[str, object] = {
        "id": ident,
        "question": text,
        "gold": gold,
        "distractors": tuple(row for row in EVERYBODY if row not in gold),
        "relation": relation,
        "cardinality": cardinality or ("none", "unique", "multiple")[min(len(gold), 2)],
        "time_checked": checked,
        "granularity": "month",
    }
    return ScoredQuestion.model_validate(fields | more)


AFTER = ask("after", "after", BO)
BEFORE = ask("before", "before", BO)
OVERLAP = ask("overlap", "overlap", BO)
EQUAL_OPEN = ask("equal", "equal", EK)
DURING_SPAN = ask("during", "during", BO, text="Who led Arn at some time between January 2004 and late December 2009?")
DURING_PLAIN = ask("during-plain", "during", BO, text="Who led Arn during the sixth legislature?")
NONE = ask("none", "met-by")
TWO = ask("two", "after", CY, DI)
FOUR = ask("four", "started-by", BO, CY, DI, EK)
NOW = ask("now", "now", EK)
JOIN = ask("join", "join", AnswerRow(name="Bo Lind", start="2006-02-10", end="2006-02-26"), hops=2)
YEARS = ask("years", "start", AnswerRow(name="Bo Lind", start="2004", end="2009"), granularity="year")

A, T, L = AnswerClass, TimeVerdict, AlignmentClass


class Judged(NamedTuple):
    """A reply with its known verdicts."""

    question: ScoredQuestion
    reply: str
    answer: AnswerClass
    time: TimeVerdict
    alignment: AlignmentClass | None = None


FORTY: tuple[Judged, ...] = (
    # one answer, one date
    Judged(AFTER, "Bo Lind, who took office in May 2004.", A.RIGHT, T.YES),
    Judged(AFTER, "Bo Lind took office in June 2004.", A.RIGHT, T.NO),
    Judged(AFTER, "BO LIND (from 2004)", A.RIGHT, T.YES),
    Judged(AFTER, "Bo Lind resigned in May 2004.", A.RIGHT, T.NO),
    Judged(AFTER, "It was Bo Lind.", A.RIGHT, T.NO),
    Judged(AFTER, "Cy Moe, from 3 May 2004", A.DISTRACTOR, T.YES),
    Judged(AFTER, "Either Bo Lind (since 2004) or Cy Moe.", A.DISTRACTOR, T.YES),
    Judged(AFTER, "Zed Quill, since 05/2004.", A.OTHER, T.YES),
    Judged(AFTER, "I am not sure who that was.", A.UNSURE, T.NO),
    Judged(AFTER, "", A.EMPTY, T.NO),
    Judged(AFTER, "No one led Arn then.", A.NO_ANSWER, T.NO),
    Judged(BEFORE, "Bo Lind left office on 2009-06-30.", A.RIGHT, T.YES),
    Judged(BEFORE, "<think>Cy Moe?</think>**Bo Lind**\nEnd date: June 30th, 2009", A.RIGHT, T.YES),
    Judged(BEFORE, "Bo Lind, until 2008.", A.RIGHT, T.NO),
    # one answer, both dates
    Judged(OVERLAP, "Bo Lind, from 3 May 2004 to June 2009", A.RIGHT, T.YES),
    Judged(OVERLAP, "Bo Lind (2004–2009)", A.RIGHT, T.YES),
    Judged(OVERLAP, "Bo Lind (2004–2010)", A.RIGHT, T.HALF),
    Judged(OVERLAP, "Bo Lind, from 2009 to 2004", A.RIGHT, T.NO),
    Judged(OVERLAP, "Bo Lind, appointed in 2004", A.RIGHT, T.HALF),
    Judged(EQUAL_OPEN, "Ek Tam, since September 2018", A.RIGHT, T.YES),
    Judged(EQUAL_OPEN, "Ek Tam. Start: 2018-09. End: present.", A.RIGHT, T.YES),
    Judged(EQUAL_OPEN, "Ek Tam, from 2018 until 2021", A.RIGHT, T.HALF),
    Judged(YEARS, "Bo Lind started in 2004 and stepped down in 2009.", A.RIGHT, T.YES),
    # during: a question that names a span lets others be named
    Judged(DURING_SPAN, "Bo Lind (May 2004 - June 2009), after Ana Roy Holt", A.RIGHT, T.YES),
    Judged(DURING_PLAIN, "Bo Lind (May 2004 - June 2009), after Ana Roy Holt", A.DISTRACTOR, T.YES),
    # no answer
    Judged(NONE, "No one did.", A.RIGHT, T.YES),
    Judged(NONE, "Bo Lind, from May 2004.", A.DISTRACTOR, T.NO),
    Judged(NONE, "I cannot determine that.", A.UNSURE, T.NO),
    # several answers
    Judged(TWO, "Cy Moe (2009 to 2014) and Di Vann, Countess of Arn (2014 to 2018)", A.RIGHT, T.YES),
    Judged(TWO, "Cy Moe, from 2009", A.PARTIAL, T.YES),
    Judged(TWO, "Cy Moe since 2009, Di Vann since 2014", A.PARTIAL, T.YES),
    Judged(FOUR, "Bo Lind (from 2004), Cy Moe (from 2009), Ek Tam (from 2018)", A.RIGHT, T.YES),
    Judged(FOUR, "Bo Lind (from 2004), Cy Moe (from 2009), Ek Tam (from 2018), A. R. Holt (from 1998)", A.DISTRACTOR, T.YES),
    # now
    Judged(NOW, "Ek Tam has led it since September 2018.", A.RIGHT, T.YES, L.CORRECT),
    Judged(NOW, "Ek Tam, since 2019.", A.RIGHT, T.NO, L.WRONG_TIME),
    Judged(NOW, "Cy Moe, since June 2009.", A.DISTRACTOR, T.NO, L.OUTDATED_RIGHT_TIME),
    Judged(NOW, "Cy Moe, since 2011.", A.DISTRACTOR, T.NO, L.OUTDATED_WRONG_TIME),
    Judged(NOW, "I don't know.", A.UNSURE, T.NO, L.UNSURE),
    # joins
    Judged(JOIN, "Bo Lind; the Games ended on 26 February 2006.", A.RIGHT, T.YES),
    Judged(JOIN, "Bo Lind. I have no date for it.", A.RIGHT, T.NO),
)  # fmt: skip
