"""A question about temporal tables as models are asked it, and the directory in which their answers lie."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from state.answer_roles import AnswerRequest
from state.interval import Granularity
from state.model_base import Contract
from state.table_instance import ShownTable
from state.tdbench_scoring import ScoredQuestion
from state.trajectory import PromptRef
from state.vocabulary import Role


class AskedQuestion(Contract):
    """A line of an evaluation's `questions.jsonl`."""

    format: Literal[1] = 1
    """Format version of the line."""
    scored: ScoredQuestion
    """The question and what its replies are scored against."""
    group: str = Field(min_length=1)
    """What its phrasings have in common; answers to questions of one group are not independent."""
    tables: tuple[ShownTable, ...] | None
    """Rows that are shown with it; `None`: it is asked without any."""
    as_of: str | None
    """The day that now means; `None` if nobody says."""

    @property
    def id(self) -> str:
        """The question's id."""
        return self.scored.id

    @property
    def request(self) -> AnswerRequest:
        """What a model is asked; nothing of the answer is in it, but among all other rows."""
        unit = Granularity(self.scored.granularity)
        return AnswerRequest(question=self.scored.question, tables=self.tables, unit=unit, as_of=self.as_of)


class QuestionsNote(Contract):
    """The questions of an evaluation and where they come from."""

    source: str
    """The run or the file, as the config names it."""
    count: int = Field(ge=1)
    """Questions asked."""
    available: int = Field(ge=1)
    """Questions that the source has."""
    sha256: str
    """SHA-256 of `questions.jsonl`."""


class EvaluationManifest(Contract):
    """`manifest.json` of an evaluation on temporal tables; written when the questions are on disk, and never changed."""

    format: Literal[1] = 1
    """Format version."""
    kind: Literal["tdbench evaluate"] = "tdbench evaluate"
    """What the directory is."""
    questions: QuestionsNote
    """What is asked."""
    versions: dict[str, str]
    """Package -> version, and `python`."""
    git_commit: str | None
    """Commit of the source tree; `None` outside a checkout."""


class CellNote(Contract):
    """`cell.json`: who answers, or judges, in a cell; written when it is begun, and never changed."""

    format: Literal[1] = 1
    """Format version."""
    name: str
    """Name of the cell as tables show it."""
    role: Role
    """Answerer or judge."""
    model_key: str
    """The model's name in the config."""
    model: str
    """The model's name on its server."""
    settings: dict[str, Any]
    """What of the model's settings decides its requests; neither keys nor speed."""
    retries: int = Field(ge=0)
    """How often an unusable reply was asked for again."""
    prompt: PromptRef
    """The prompt, whose file lies beside the note."""
    judged: str | None
    """Of a judge: the row whose replies it judges."""
    replies: str | None
    """Of a judge: the folder of the cell that gave them, or the hash of those of a file."""
