"""Seconds that all text metrics take for many pairs of questions, and a bootstrap over them.

Run with `python -m benchmarks.text_metrics [PAIRS]`, 16,000 unless told otherwise. The references are template questions
of the shipped graph of years, repeated as needed; a hypothesis is its reference with some words lost, doubled or changed, so
that no pair is a copy of another.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

from evaluation.metrics.scores import PRIMARY, ItemScores, measure
from evaluation.statistics.paired_bootstrap import compare, resampled_sums
from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from state.config import Config, GraphConfig, SamplerConfig
from state.instance import BenchmarkRecord

SYSTEMS = 10


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 16_000
    pairs = list(question_pairs(count, random.Random(0)))
    words = sum(len(hypothesis.split()) + len(reference.split()) for hypothesis, reference in pairs) / (2 * count)
    started = time.perf_counter()
    items = ItemScores.of(pairs)
    scores = items.corpus()
    print(f"{count} pairs of {words:.1f} words a question: {time.perf_counter() - started:.1f} s for all metrics")
    print(", ".join(f"{name} {getattr(scores, name):.3f}" for name in PRIMARY))
    rng = random.Random(1)
    systems = {f"system-{number}": items.select(rng.sample(range(count), count)).statistics() for number in range(SYSTEMS)}
    groups = [str(number // 2) for number in range(count)]
    started = time.perf_counter()
    sums = resampled_sums(systems, groups, seed=0, resamples=1000)
    pairs_of_systems = [(sums["system-0"], sums[name]) for name in systems if name != "system-0"]
    compared = [compare(one, other, lambda table, name=name: measure(name, table)) for one, other in pairs_of_systems for name in PRIMARY]
    seconds = time.perf_counter() - started
    print(f"1000 resamples of {len(set(groups))} groups, {SYSTEMS} systems, {len(compared)} comparisons: {seconds:.1f} s")


def question_pairs(count: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Pairs of hypothesis and reference."""
    config = Config(dataset="years", graph=GraphConfig(path="bundled:years"), sampler=SamplerConfig(target=500))
    graph, _ = load_graph(config.graph)[:2]
    lines = sample_traces(graph, config).lines
    references = [BenchmarkRecord.model_validate_json(line).raw_question for line in lines]
    vocabulary = sorted({word for reference in references for word in reference.split()})
    for number in range(count):
        reference = references[number % len(references)]
        yield " ".join(changed(reference.split(), vocabulary, rng)), reference


def changed(words: list[str], vocabulary: list[str], rng: random.Random) -> Iterator[str]:
    """The words, one in seven lost, one in seven doubled, one in seven another."""
    for word in words:
        yield from rng.choice([[], [word, word], [rng.choice(vocabulary)], [word], [word], [word], [word]])


if __name__ == "__main__":
    main()
