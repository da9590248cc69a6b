"""Closed sets of words: what the records, the configs and the state machine may say."""

from __future__ import annotations

from enum import StrEnum


class RelationType(StrEnum):
    """How a relation's facts are read. Paper: section 4.2.1."""

    POINT = "point"
    INTERVAL = "interval"
    DELETED = "deleted"


class Family(StrEnum):
    """Operator family. Paper: section 4.1, Table 1."""

    I_I = "I-I"
    P_I = "P-I"
    I_P = "I-P"
    P_P = "P-P"
    ORDINAL = "ordinal"


class Template(StrEnum):
    """Topology of a trace. Paper: section 4.2.2, Eq. 4."""

    ONE_HOP = "A -> B"
    BRANCH = "C <- A -> B"
    TWO_HOP = "A -> B -> C"
    THREE_HOP = "A -> B -> C -> D"

    @property
    def hop_count(self) -> int:
        """Number of structural facts."""
        return {"A -> B": 1, "C <- A -> B": 2, "A -> B -> C": 2, "A -> B -> C -> D": 3}[self.value]

    @property
    def is_chain(self) -> bool:
        """Whether the template walks by transitions."""
        return self in (Template.TWO_HOP, Template.THREE_HOP)


class Action(StrEnum):
    """What one step of a trace does. Paper: section 4.2.3."""

    ROOT = "root"
    STRUCTURAL_FILTER = "structural_filter"
    FORWARD_TRANSITION = "forward_transition"
    TEMPORAL_FILTER = "temporal_filter"


class RankOrder(StrEnum):
    """Direction in which an ordinal counts."""

    ASCENDING = "ascending"
    DESCENDING = "descending"


class ConstraintCount(StrEnum):
    """Single-constraint or multi-constraint part of the benchmark."""

    SINGLE = "S"
    MULTI = "M"


class Node(StrEnum):
    """A node of the agents' state machine (design of the transition table)."""

    REWRITE = "rewrite"
    VERIFY = "verify"
    ANALYSE = "analyse"
    APPEAL = "appeal"
    REVISE = "revise"
    VERIFY_REPAIR = "verify_repair"
    LEAK_CHECK = "leak_check"
    LEAK_REWRITE = "leak_rewrite"
    VERIFY_LEAK_REWRITE = "verify_leak_rewrite"
    SECOND_LEAK_CHECK = "second_leak_check"
    GENERATE = "generate"
    """Only in an evaluation: one stage of a question generator."""
    ANSWER = "answer"
    """Only in an evaluation of models on temporal tables: a model answers a question."""
    JUDGE = "judge"
    """Only there: a model judges an answer."""


class Terminal(StrEnum):
    """Where an instance's way through the state machine ends."""

    ACCEPTED = "accepted"
    VERIFIED = "verified"
    """Only in a study of the verifier: it agreed with the question that it was given."""
    WRITTEN = "written"
    """Only in an evaluation: the generator wrote its question."""
    REPLIED = "replied"
    """Only in an evaluation of models on temporal tables: the answer or the verdict is there."""
    FAILED_VERIFICATION = "discarded: failed verification"
    ANSWER_LEAK = "discarded: answer leak"
    AGENT_ERROR = "failed: agent error"


class Outcome(StrEnum):
    """What a node visit came to; with the node it decides the transition."""

    WRITTEN = "written"
    AGREES = "agrees"
    DISAGREES = "disagrees"
    VERIFIER_AT_FAULT = "verifier at fault"
    OTHER_CAUSE = "anything else"
    CLEAN = "clean"
    LEAKS = "leaks"
    NO_USABLE_REPLY = "no usable reply"


class Status(StrEnum):
    """The fate of an instance in a run."""

    ACCEPTED = "accepted"
    DISCARDED = "discarded"
    FAILED = "failed"


class DiscardReason(StrEnum):
    """Why an instance is in `discarded.jsonl`."""

    FAILED_VERIFICATION = "failed verification"
    ANSWER_LEAK = "answer leak"
    DUPLICATE_QUESTION = "duplicate question"


class Role(StrEnum):
    """Who does the work of a node; the leak filter is code, the others are models or rules."""

    REWRITER = "rewriter"
    VERIFIER = "verifier"
    APPEAL = "appeal"
    ERROR_ANALYST = "error_analyst"
    REVISER = "reviser"
    LEAK_REWRITER = "leak_rewriter"
    ROUND_TRIP_READER = "round_trip_reader"
    LEAK_FILTER = "leak_filter"
    GENERATOR = "generator"
    """Only in an evaluation: a question generator that is scored."""
    ANSWERER = "answerer"
    """Only in an evaluation on temporal tables: a model whose answers are scored."""
    JUDGE = "judge"
    """Only there: a model that judges answers."""


class Cause(StrEnum):
    """Why a question failed verification: the error analyst's closed list."""

    MISSING_CONSTRAINT = "missing constraint"
    WRONG_CONSTRAINT = "wrong constraint"
    UNNECESSARY_CONSTRAINT = "unnecessary constraint"
    REVERSED_CONSTRAINT = "reversed constraint"
    WRONG_RELATION = "wrong relation"
    AMBIGUOUS_REFERENCE = "ambiguous reference"
    VERIFIER_AT_FAULT = "verifier at fault"
    UNCLEAR = "unclear"


class OperatorWord(StrEnum):
    """A temporal condition in plain English, as a reader of questions names it; `graph_sampler/operators.py` says what each means."""

    BEFORE = "before"
    AFTER = "after"
    EQUALS = "equals"
    STARTS = "starts"
    STARTED_BY = "started by"
    FINISHES = "finishes"
    FINISHED_BY = "finished by"
    MEETS = "meets"
    MET_BY = "met by"
    DURING = "during"
    CONTAINS = "contains"
    OVERLAPS = "overlaps"
    OVERLAPPED_BY = "overlapped by"
    START_RANK = "start rank"
    END_RANK = "end rank"
    DURATION_RANK = "duration rank"

    @property
    def is_rank(self) -> bool:
        """Whether it ranks one fact's rivals rather than compare two facts."""
        return self in (OperatorWord.START_RANK, OperatorWord.END_RANK, OperatorWord.DURATION_RANK)


class Difference(StrEnum):
    """How what a question says differs from what it should say. Paper: Figure 7; `reversed` is its *wrong* turned round."""

    MISSING = "missing"
    WRONG = "wrong"
    REVERSED = "reversed"
    UNNECESSARY = "unnecessary"


class LeakKind(StrEnum):
    """How an answer leaked into a question."""

    LABEL = "label"
    ALIAS = "alias"
    FUZZY = "fuzzy"
    NAME_PART = "name part"


class TryError(StrEnum):
    """Why one try at a role's call gave no usable reply."""

    EMPTY = "empty reply"
    TRUNCATED = "truncated"
    FILTERED = "content filtered"
    REFUSED = "refused"
    UNPARSABLE = "unparsable"
    UNUSABLE_QUESTION = "unusable question"
    RATE_LIMITED = "rate limited"
    SERVER_ERROR = "server error"
    CONNECTION = "connection failed"
    TIMEOUT = "timed out"
    BAD_REQUEST = "bad request"
    AUTHENTICATION = "authentication failed"
