"""The tables of an evaluation on temporal tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from evaluation.pages.rate_text import NOTHING, p_text, points_text, rate_percent, rate_text, share_text, usd_text
from evaluation.pages.tables import Table, rounded
from evaluation.statistics.intervals import Rate
from evaluation.time_accuracy.figures import AgreementFigures, JudgedFigures, PartFigures, PartKind, RowFigures, TimeAccuracySummary
from evaluation.time_accuracy.items import EvaluationData
from state.tdbench_evaluate_config import RULES
from state.tdbench_scoring import AlignmentClass, AnswerClass, AnswerRow, JudgeAgreement, ScoredReply, TimeVerdict
from tdbench.scoring.paper_figures import notes, published_average, published_rows, published_settings, title

HEADS: dict[PartKind, str] = {
    "kind": "kind of question",
    "relation": "relation",
    "cardinality": "answers",
    "hops": "hops",
    "domain": "domain",
}
"""Name of the column of each division."""
MEASURES = ("A", "T", "AT", "loose T", "gap")
"""The measures, as tables call them."""


def summary_tables(summary: TimeAccuracySummary) -> dict[str, Table]:
    """All tables of an evaluation's own figures by name, the most telling first."""
    made = (
        scores_table(summary),
        reference_table(summary),
        *(part_table(summary, by) for by in HEADS),
        alignment_table(summary),
        answers_table(summary),
        comparisons_table(summary),
        agreement_table(summary),
        verdicts_table(summary),
        costs_table(summary),
        sizes_table(summary),
        signatures_table(summary),
        all_scores_table(summary),
    )
    return {table.name: table for table in made}


def scores_table(summary: TimeAccuracySummary) -> Table:
    """A, T, AT, loose T and the gap of every row by every judge."""
    caption = "Hits/questions, percent and 95 % interval; the gap A - AT in points"
    rows = tuple(
        (row.name, _said_by(row, judged), *(_cells(judged.whole) if has_verdicts(row, judged) else ("not judged", *[NOTHING] * 4)))
        for row, judged in _every(summary)
    )
    return Table("scores", caption, ("row", "judge", *MEASURES), rows)


def reference_table(summary: TimeAccuracySummary) -> Table:
    """What whoever knows nothing gets: one constant reply, by the rules."""
    whole = summary.always_no_answer
    rows = () if whole is None else (("no answer", *(rate_text(rate) for rate in (whole.a, whole.t, whole.at))),)
    return Table("reference", "For reference, not a model: the same reply to every question, by the rules", ("reply", "A", "T", "AT"), rows)


def reference_note(summary: TimeAccuracySummary) -> str | None:
    """Which rows are not clearly above the constant reply in AT; `None` if all are, or if it is never right."""
    whole = summary.always_no_answer
    if whole is None or not whole.tally.both:
        return None
    floor = whole.at.value
    low = [row.name for row in summary.rows if floor is not None and (row.judged[0].whole.at.low or 0.0) <= floor]
    if not low:
        return None
    verb = "is" if len(low) == 1 else "are"
    return (
        f'A constant reply "no answer" has AT {rate_percent(whole.at)} % on these questions: {", ".join(low)} {verb} not clearly above it.'
    )


def has_verdicts(row: RowFigures, judged: JudgedFigures) -> bool:
    """Whether figures rest on verdicts that could be read."""
    return judged.judge == RULES or row.is_judged


def part_table(summary: TimeAccuracySummary, by: PartKind) -> Table:
    """The same for each part of one division."""
    rows = tuple(
        (part.part, row.name, judged.judge, *_cells(part))
        for place in range(len(_parts(summary, by)))
        for row, judged in _judged(summary)
        for part in [judged.of(by)[place]]
    )
    return Table(f"by_{by}", f"By {HEADS[by]}: the same figures", (HEADS[by], "row", "judge", *MEASURES), rows)


def alignment_table(summary: TimeAccuracySummary) -> Table:
    """The classes of replies to questions about now."""
    caption = "Questions about now: replies of each class (percent of those asked)"
    names = [kind.value for kind in AlignmentClass]
    return _classes(summary, "alignment", caption, names, lambda part: [part.tally.alignment[kind] for kind in AlignmentClass])


def answers_table(summary: TimeAccuracySummary) -> Table:
    """The classes of answers, by the rules: a judge does not say of which kind a reply is."""
    caption = "What was answered, by the rules: replies of each class (percent of those asked)"
    names = [kind.value for kind in AnswerClass]
    made = _classes(summary, "answers", caption, names, lambda part: [part.tally.answers[kind] for kind in AnswerClass])
    return made._replace(rows=tuple(cells for cells in made.rows if cells[1] == RULES))


def comparisons_table(summary: TimeAccuracySummary) -> Table:
    """Each pair of rows on the same questions."""
    header = ("measure", "judge", "row", "other row", "only the row", "only the other", "difference in points", "p", "p adjusted", "test")
    rows = tuple(
        (
            one.measure,
            one.judge,
            one.first,
            one.second,
            str(one.only_first),
            str(one.only_second),
            points_text(one.difference),
            p_text(one.p),
            p_text(one.p_adjusted),
            one.test,
        )
        for one in summary.comparisons
    )
    return Table("comparisons", "Rows beside each other: questions that only one of the two has right", header, rows)


def agreement_table(summary: TimeAccuracySummary) -> Table:
    """How far the judge and the rules agree."""
    header = ("row", "judge", "verdict on", "judged", "same verdict", "percent", "Cohen's kappa", "without a verdict")
    rows = []
    for row, found in _agreements(summary):
        for what, one in (("answer", found.answer), ("dates", found.time)):
            percent = share_text(None if one.share is None else float(one.share))
            rows.append((row, found.judge, what, str(one.judged), str(one.agreed), percent, rounded(one.kappa, 2), str(one.left_out)))
    return Table("agreement", "The judge and the rules on the same replies", header, tuple(rows))


def verdicts_table(summary: TimeAccuracySummary) -> Table:
    """What one says where the other says what."""
    rows = []
    for row, found in _agreements(summary):
        for what, one in (("answer", found.answer), ("dates", found.time)):
            rows += [(row, what, rules.value, *(str(one.table[rules][judge]) for judge in TimeVerdict)) for rules in _said(one)]
    header = ("row", "verdict on", "rules say", *(f"judge says {verdict.value}" for verdict in TimeVerdict))
    return Table("verdicts", "Replies by the verdict of the rules and of the judge", header, tuple(rows))


def costs_table(summary: TimeAccuracySummary) -> Table:
    """What each row used."""
    header = ("row", "role", "model", "calls", "from the cache", "prompt tokens", "reply tokens", "USD paid", "USD saved")
    rows = tuple(
        (
            row.name,
            one.role,
            one.model,
            str(one.calls),
            str(one.cached_calls),
            str(one.input),
            str(one.output),
            usd_text(one.usd_paid),
            usd_text(one.usd_saved),
        )
        for row in summary.rows
        for one in row.spending
    )
    return Table("costs", "What was used; tokens are those paid for", header, rows)


def sizes_table(summary: TimeAccuracySummary) -> Table:
    """How many questions each part has."""
    rows = tuple((HEADS[size.by], size.part, str(size.questions)) for size in summary.sizes)
    return Table("questions", "Questions by part", ("by", "part", "questions"), rows)


def signatures_table(summary: TimeAccuracySummary) -> Table:
    """How the figures were made."""
    rows = tuple((row.name, judged.judge, judged.signature) for row, judged in _judged(summary))
    return Table("signatures", "Figures with different signatures are not compared", ("row", "judge", "signature"), rows)


def all_scores_table(summary: TimeAccuracySummary) -> Table:
    """Every rate of every part at full precision, a line each; hits and questions of the loose T are in halves."""
    header = ("row", "judge", "by", "part", "measure", "hits", "asked", "share", "low", "high", "interval", "signature")
    rows = tuple(
        (row.name, judged.judge, part.by, part.part, measure, *_exact(rate))
        for row, judged in _judged(summary)
        for part in judged.parts
        for measure, rate in zip(MEASURES, (part.a, part.t, part.at, part.loose_t, part.gap), strict=True)
    )
    return Table("all_scores", "Every rate at full precision", header, rows)


def replies_table(data: EvaluationData) -> Table:
    """Every reply with its verdicts."""
    header = (
        "id", "question", "domain", "relation", "answers", "hops", "dates demanded", "gold", "row", "reply",
        "answer", "dates", "about now", "answer by the judge", "dates by the judge",
    )  # fmt: skip
    rows = []
    for row in data.rows:
        for question, item in zip(data.questions, row.replies, strict=True):
            one = question.scored
            about = (one.id, one.question, one.domain, one.relation, one.cardinality, str(one.hops), one.time_checked, gold_text(one.gold))
            rows.append((*about, row.name, item.reply, *_verdicts(item.rules), *_verdicts(item.judge)[:2]))
    return Table("replies", "Every reply with its verdicts", header, tuple(rows))


def gold_text(rows: Iterable[AnswerRow]) -> str:
    """The answers with their dates, such as `Bo Lind (2004 to present)`; `no answer` without any.

    >>> gold_text([AnswerRow(name="Bo Lind", start="2004")])
    'Bo Lind (2004 to present)'
    """
    return "; ".join(f"{row.name} ({row.start or '?'} to {_end(row)})" for row in rows) or "no answer"


def paper_tables() -> tuple[Table, ...]:
    """The published figures, apart from all that was measured here."""
    header = ("model", "Wikipedia A", "Wikipedia AT", "Wikipedia gap", "Law AT", "Heritage AT", "Netflix AT")
    columns = ("wikipedia_a", "wikipedia_at", "wikipedia_gap", "law_at", "heritage_at", "netflix_at")
    printed = (*published_rows(), published_average())
    rows = tuple((one.model, *(rounded(float(getattr(one, column))) for column in columns)) for one in printed)
    settings = tuple((name.replace("_", " "), f"{value:g}") for name, value in published_settings().model_dump().items())
    return (
        Table("paper_alignment", title(), header, rows),
        Table("paper_settings", "The paper's own figures of its setting", ("what", "value"), settings),
    )


def paper_notes() -> tuple[str, ...]:
    """What does not fit together in the published figures."""
    return notes()


def _cells(part: PartFigures) -> tuple[str, ...]:
    loose = part.loose_t
    interval = f" [{share_text(loose.low)}, {share_text(loose.high)}]" if loose.value is not None else ""
    gap = f"{points_text(part.gap.value)} [{points_text(part.gap.low)}, {points_text(part.gap.high)}]"
    return rate_text(part.a), rate_text(part.t), rate_text(part.at), f"{rate_percent(loose)}{interval}", gap


def _exact(rate: Rate) -> tuple[str, ...]:
    shares = (NOTHING if share is None else repr(share) for share in (rate.value, rate.low, rate.high))
    return str(rate.numerator), str(rate.denominator), *shares, rate.method or NOTHING, rate.signature


def _classes(
    summary: TimeAccuracySummary, name: str, caption: str, classes: Sequence[str], counts_of: Callable[[PartFigures], list[int]]
) -> Table:
    rows = []
    for row, judged in _judged(summary):
        counts = counts_of(judged.whole)
        if asked := sum(counts):
            cells = (f"{count} ({share_text(count / asked)})" for count in counts)
            rows.append((row.name, judged.judge, str(asked), *cells))
    return Table(name, caption, ("row", "judge", "asked", *classes), tuple(rows))


def _said_by(row: RowFigures, judged: JudgedFigures) -> str:
    """Who judged, and how many verdicts are missing where most are."""
    if judged.judge == RULES or not row.is_mostly_unjudged:
        return judged.judge
    return f"{judged.judge} ({row.unjudged} of {row.to_judge} verdicts could not be read)"


def _judged(summary: TimeAccuracySummary) -> Iterator[tuple[RowFigures, JudgedFigures]]:
    """Every row by the rules, then every row by the judge of which a verdict could be read."""
    return (pair for pair in _every(summary) if has_verdicts(*pair))


def _every(summary: TimeAccuracySummary) -> Iterator[tuple[RowFigures, JudgedFigures]]:
    """Every row by the rules, then every row by the judge."""
    for who in dict.fromkeys((RULES, summary.judge)):
        for row in summary.rows:
            yield from ((row, judged) for judged in row.judged if judged.judge == who)


def _parts(summary: TimeAccuracySummary, by: PartKind) -> tuple[PartFigures, ...]:
    return summary.rows[0].judged[0].of(by) if summary.rows else ()


def _agreements(summary: TimeAccuracySummary) -> Iterator[tuple[str, AgreementFigures]]:
    for row in summary.rows:
        if row.agreement is not None:
            yield row.name, row.agreement


def _said(found: JudgeAgreement) -> list[TimeVerdict]:
    """Verdicts that either of the two gave."""
    return [one for one in TimeVerdict if sum(found.table[one].values()) or sum(found.table[other][one] for other in TimeVerdict)]


def _verdicts(scored: ScoredReply | None) -> tuple[str, str, str]:
    if scored is None:
        return "-", "-", "-"
    return scored.answer.value, scored.time.value, "-" if scored.alignment is None else scored.alignment.value


def _end(row: AnswerRow) -> str:
    return "?" if row.is_end_unknown else row.end or "present"
