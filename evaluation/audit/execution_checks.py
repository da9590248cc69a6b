"""What executing a record's trace on the graph shows. Design: sections 3, 4 and 10.

A defect that only follows from another is not told again: an operator that is false for the answer makes the answer
wrong, and a constraint that does not matter cannot be missed in the evidence either.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.audit.cases import Case, StatedFact
from evaluation.audit.defects import EXECUTED, Defect, DefectKind, Findings, Unchecked
from evaluation.audit.known_graph import KnownGraph
from evaluation.audit.rows import MOST_ROWS, Executable, Run, TooManyRows, Walks
from graph_sampler.labels import normalise_label
from graph_sampler.operators import BY_NAME, family_of
from state.interval import format_granule
from state.trace import FilterStep, OrdinalStep, PairwiseStep, StructuralStep
from state.vocabulary import RelationType


class ExecutionChecks:
    """The checks of one graph; skeletons are walked once for all records that share them."""

    def __init__(self, known: KnownGraph) -> None:
        self._known = known
        self._walks = Walks(known)

    def findings(self, case: Case) -> Findings:
        """The defects of a record that the graph shows, and the checks that could not be made."""
        shown = self._known.find_all(case.facts)
        missing = [fact for fact, number in zip(case.facts, shown, strict=True) if number is None]
        missing += [fact for fact in case.references.values() if self._known.find(fact) is None]
        defects = [self._not_in_graph(case, missing)] if missing else []
        if case.trace is None:
            return Findings(defects, [Unchecked(EXECUTED, f"no trace can be put together: {case.no_trace}")])
        try:
            executable = Executable(self._known, self._walks, case.trace, case.references)
            return self._executed(case, executable, {number for number in shown if number is not None}, missing, defects)
        except KeyError:
            return Findings(defects, [Unchecked(EXECUTED, "the trace names an entity or relation that the graph does not have")])
        except TooManyRows:
            return Findings(defects, [Unchecked(EXECUTED, f"the trace's facts join in more than {MOST_ROWS:,} ways")])

    def _executed(self, case: Case, executable: Executable, shown: set[int], missing: list[StatedFact], defects: list[Defect]) -> Findings:
        expected = {code for ident in case.answer_ids if (code := self._known.entities.get(ident)) is not None}
        unchecked: list[Unchecked] = []
        if not case.answer_ids:
            kinds = (DefectKind.FALSE_OPERATOR, DefectKind.NOT_UNIQUE, DefectKind.NOT_NEEDED, DefectKind.SILENT_EVIDENCE)
            unchecked.append(Unchecked(kinds, "no entity of the record is called like its answer"))
        run = executable.run()
        false = list(self._of_other_families(case, executable)) or list(self._false_operators(case, executable, expected - run.answers))
        ties = [] if false else list(_ties(executable, run))
        defects += [*false, *ties]
        is_answer = len(run.answers) == 1 and run.answers <= expected and self._is_called(case, next(iter(run.answers)))
        if is_answer:
            needed, useless = self._losses(executable, run)
            defects += [Defect(DefectKind.NOT_NEEDED, f"without {name} the graph gives the same answer") for name in useless]
            silent = None if ties else _silent(executable, run, needed, shown)
            defects += [silent] if silent else []
        elif case.answer_ids and not (false or ties or (missing and not run.answers & expected)):
            defects.append(Defect(DefectKind.NOT_UNIQUE, self._instead(case, run)))
        ambiguous = self._ambiguous(case, executable, run if is_answer else None)
        defects += [ambiguous] if ambiguous else []
        return Findings(defects, unchecked)

    def _not_in_graph(self, case: Case, missing: list[StatedFact]) -> Defect:
        shown = self._said(missing[0])
        return Defect(DefectKind.NOT_IN_GRAPH, f"{len(set(missing))} of {len(set(case.facts))} facts, the first {shown}")

    def _is_called(self, case: Case, answer: int) -> bool:
        """Whether the stated answer is a name of the entity, in the graph or in the record itself."""
        stated = normalise_label(case.answer)
        own = case.labels.get(self._known.graph.entity_ids[answer])
        return stated in self._known.names(answer) or (own is not None and normalise_label(own) == stated)

    def _of_other_families(self, case: Case, executable: Executable) -> Iterator[Defect]:
        """Operators between facts of other types than theirs."""
        relations = {step.fact: step.pattern[1] for step in executable.trace.steps if isinstance(step, StructuralStep)}
        relations |= {name: fact[1] for name, fact in case.references.items()}
        for step in executable.trace.steps:
            if not isinstance(step, PairwiseStep):
                continue
            family = BY_NAME[step.operator].family
            types = [self._type(case, relations[name]) for name in (step.left, step.right)]
            if None not in types and RelationType.DELETED not in types and family_of(types[0], types[1]) is not family:  # type: ignore[arg-type]
                sides = " and ".join(f"a relation of type {kind}" for kind in types)
                yield Defect(DefectKind.FALSE_OPERATOR, f"{step.constraint} {step.operator} stands between {sides}")

    def _false_operators(self, case: Case, executable: Executable, lost: set[int]) -> Iterator[Defect]:
        """Operators that hold in no row of an answer that the graph does not give."""
        rows = 0
        for code in lost:
            rows |= executable.last.groups.get(code, 0)
        for step in executable.trace.steps if rows else ():
            if isinstance(step, PairwiseStep) and not executable.mask(step, len(executable.levels) - 1) & rows:
                yield Defect(DefectKind.FALSE_OPERATOR, self._false(case, executable, step, rows))

    def _type(self, case: Case, relation: str) -> RelationType | None:
        return case.types.get(relation) or self._known.type_of(relation)

    def _false(self, case: Case, executable: Executable, step: PairwiseStep, rows: int) -> str:
        row = (rows & -rows).bit_length() - 1
        columns, facts = executable.columns, executable.last.facts
        reference = case.references.get(step.right)
        left = self._span(self._known.times[facts[columns[step.left]][row]])
        right = self._span(self._known.interval(reference) if reference else self._known.times[facts[columns[step.right]][row]])
        return f"{step.constraint} {step.operator} does not hold for {case.answer}: {left} against {right}"

    def _losses(self, executable: Executable, run: Run) -> tuple[list[tuple[str, str]], list[str]]:
        """What can be left out: with a change of the answer, and, in words, without one."""
        needed: list[tuple[str, str]] = []
        useless: list[str] = []
        for step in executable.trace.steps:
            if isinstance(step, PairwiseStep | OrdinalStep):
                name, said = step.constraint, f"{step.constraint} {step.operator}"
                answers = executable.run(left_out=name).answers
            elif isinstance(step, FilterStep) and step.fact in _FACTS:
                name, said = step.fact, f"the structural filter {step.fact}"
                answers = executable.without_filter(name).run().answers
            else:
                continue
            if answers == run.answers:
                useless.append(said)
            else:
                needed.append((name, said))
        return needed, useless

    def _instead(self, case: Case, run: Run) -> str:
        if not run.answers:
            return f"the graph gives no answer instead of {case.answer}"
        labels = sorted(self._known.graph.entity_labels[code] or self._known.graph.entity_ids[code] for code in run.answers)
        more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
        return f"the graph gives {', '.join(labels[:3])}{more} instead of {case.answer} alone"

    def _ambiguous(self, case: Case, executable: Executable, run: Run | None) -> Defect | None:
        """A fact compared with that its description does not single out: a reference, or the right fact of the answer's rows."""
        for name, reference in case.references.items():
            fact = self._known.find(reference)
            if fact is not None and (count := self._known.described_like(fact)) > 1:
                return Defect(DefectKind.AMBIGUOUS_REFERENCE, f"{count} facts are described like {name}: {self._said(reference)}")
        if run is None:
            return None
        for step in executable.trace.steps:
            if isinstance(step, PairwiseStep) and step.right in executable.columns:
                for row, fact in enumerate(executable.last.facts[executable.columns[step.right]]):
                    if run.alive >> row & 1 and self._known.has_second_spell(fact):
                        why = f"{step.constraint} compares with a fact that has a second spell: {self._said(self._stated(fact))}"
                        return Defect(DefectKind.AMBIGUOUS_REFERENCE, why)
        return None

    def _stated(self, fact: int) -> StatedFact:
        graph = self._known.graph
        ends = (graph.entity_ids[column[fact]] for column in (graph.subject, graph.object))
        start, end = (format_granule(time, graph.granularity) for time in self._known.times[fact])
        return next(ends), graph.relation_ids[graph.relation[fact]], next(ends), start, end

    def _said(self, fact: StatedFact) -> str:
        subject, relation, object_, start, end = fact
        return f"({subject}, {relation}, {object_}, {start if start == end else f'{start} to {end}'})"

    def _span(self, times: tuple[int | None, int | None]) -> str:
        unit = self._known.graph.granularity
        start, end = (f"no {unit.value}" if time is None else format_granule(time, unit) for time in times)
        return start if start == end else f"{start} to {end}"


_FACTS = ("f1", "f2", "f3")
"""Names of walked facts; a filter of another name is how a constraint reaches a fact off the path."""


def _ties(executable: Executable, run: Run) -> Iterator[Defect]:
    for step in executable.trace.steps:
        if isinstance(step, OrdinalStep):
            ranking = run.rankings[step.constraint]
            said = f"{step.constraint} {step.operator} {step.rank} {step.order}"
            if not ranking.ranked:  # what came before left nothing; the ordinal is not to blame
                continue
            if step.rank > ranking.ranked:
                yield Defect(DefectKind.TIE, f"{said}: only {ranking.ranked} ranked")
            elif ranking.is_tied:
                yield Defect(DefectKind.TIE, f"{said}: a tie decides among {ranking.ranked} ranked")


def _silent(executable: Executable, run: Run, needed: list[tuple[str, str]], shown: set[int]) -> Defect | None:
    """What a reader of the record's own facts could not notice."""
    within = executable.rows_among(shown)
    if within is not None and executable.run(within=within).answers != run.answers:
        return Defect(DefectKind.SILENT_EVIDENCE, "the record's own facts do not even give the answer")
    for name, said in needed:
        if name in executable.columns:
            reduced = executable.without_filter(name)
            answers = reduced.run(within=reduced.rows_among(shown)).answers
        elif within is None:
            continue
        else:
            answers = executable.run(left_out=name, within=within).answers
        if answers == run.answers:
            return Defect(DefectKind.SILENT_EVIDENCE, f"without {said} the record's own facts give the same answer")
    return None
