"""KQG-CoT+: the demonstrations of KQG-CoT from the simplest to the most complex. Paper: section 5.1. One call."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.methods.kqg_cot import KqgCot
from baselines.support_set import complexity
from baselines.task import Example


@dataclass(frozen=True)
class KqgCotPlus(KqgCot):
    """Prompts, options and demonstrations are those of KQG-CoT; only the order differs."""

    key = "kqg_cot_plus"
    label = "KQG-CoT+"

    def arranged(self, chosen: list[Example]) -> list[Example]:
        """The demonstrations in ascending complexity."""
        return sorted(chosen, key=complexity)


METHOD = KqgCotPlus()
