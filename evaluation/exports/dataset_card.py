"""The dataset card of an export for the `datasets` library: what the benchmark is, who made it, and how it is split."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import yaml

from agents.rules_backend import LABEL
from evaluation.exports.report import ExportReport
from evaluation.exports.source import Records
from evaluation.pages.tables import Table, as_markdown, markdown_text
from runs.manifest import Manifest
from runs.splits import PARTS, Part
from runs.terminal import shown
from state.instance import Backend, BenchmarkRecord
from state.vocabulary import ConstraintCount

SPLIT_NAMES: Mapping[Part, str] = {"train": "train", "dev": "validation", "test": "test"}
"""Part -> what the `datasets` library calls it."""
UNKNOWN = "unknown"
_LICENCES = (
    "apache-2.0", "bsd-2-clause", "bsd-3-clause", "cc", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-nc-3.0", "cc-by-nc-4.0",
    "cc-by-nc-nd-4.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "gpl-3.0", "mit", "odbl", "odc-by", "pddl",
)  # fmt: skip
"""Licences that the hub knows by these names; any other is `other` there, with its own name beside it."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def parquet_name(kind: ConstraintCount, part: Part) -> str:
    """Where the records of S or M of one part stand."""
    return f"{kind}/{SPLIT_NAMES[part]}.parquet"


def missing_terms(manifest: Manifest) -> Iterator[str]:
    """A warning for each of licence and source that the run does not know."""
    for key, value in (("licence", manifest.graph.licence), ("source", manifest.graph.source)):
        if not value:
            yield f"the run does not know its graph's {key} (graph.{key} in a config), so the card says {UNKNOWN}"


def dataset_card(report: ExportReport, manifest: Manifest, backends: Collection[Backend], roles: Mapping[str, str]) -> bytes:
    """The card, `README.md`: front matter that says where the files are, and the text below it.

    Splits without records are not named there: the `datasets` library refuses a whole configuration for one.

    Args:
        report: what is exported; its split is there.
        manifest: of the run.
        backends: which rewriters and verifiers made the records.
        roles: role -> model, of the other roles that may have rewritten a question.
    """
    front = yaml.safe_dump(_front_matter(report, manifest), sort_keys=False, allow_unicode=False, width=1000)
    text = "\n\n".join(_sections(report, manifest, backends, roles))
    return f"---\n{front}---\n\n{text}\n".encode()


def _front_matter(report: ExportReport, manifest: Manifest) -> dict[str, object]:
    assert report.split is not None, "the card is of an export with a split"
    sizes = report.split.sizes
    licence = shown((manifest.graph.licence or UNKNOWN).strip())
    known = licence.lower() if licence.lower() in (*_LICENCES, UNKNOWN) else None
    every: list[dict[str, object]] = []
    for name, kinds in {"all": tuple(ConstraintCount), **{kind.value: (kind,) for kind in ConstraintCount}}.items():
        paths = {part: [parquet_name(kind, part) for kind in kinds if sizes[kind][part]] for part in PARTS}
        files = [{"split": SPLIT_NAMES[part], "path": there} for part, there in paths.items() if there]
        if files:
            every.append({"config_name": name, "data_files": files, **({"default": True} if name == "all" else {})})
    return {
        "pretty_name": report.dataset,
        "language": ["en"],
        "license": known or "other",
        **({} if known else {"license_name": licence}),
        "task_categories": ["text-generation", "question-answering"],
        "tags": ["temporal-knowledge-graph", "question-generation", "chronoqg"],
        "size_categories": [next((name for most, name in _SIZES if report.count < most), "n>1M")],
        "configs": every,
    }


def _sections(report: ExportReport, manifest: Manifest, backends: Collection[Backend], roles: Mapping[str, str]) -> Iterator[str]:
    graph, split = manifest.graph, report.split
    assert split is not None, "the card is of an export with a split"
    yield f"# {markdown_text(report.dataset)}"
    version = markdown_text(manifest.versions.get("chronoqg", UNKNOWN))
    yield (
        f"{report.count} temporal questions over a knowledge graph, each with the trace that answers it and the facts that prove it: "
        f"{report.sizes[ConstraintCount.SINGLE]} with a single temporal constraint (S) and {report.sizes[ConstraintCount.MULTI]} with "
        f"several (M). Made by chronoqg {version}, sampler seed {manifest.seed}."
    )
    if report.records is Records.SAMPLED:
        yield "**No model has worked on these records**: `final_question` is null, and `raw_question` is the sampler's template question."
    yield "## Source and terms"
    yield "\n".join(
        (
            f"* graph: {markdown_text(graph.name)}, in units of a {graph.granularity.value}, SHA-256 of its cleaned facts "
            f"`{markdown_text(graph.content_hash)}`",
            f"* source: {markdown_text(graph.source or UNKNOWN)}",
            f"* licence: {markdown_text(graph.licence or UNKNOWN)}",
        )
    )
    yield "The facts and labels in these records are taken from that source and keep its terms: nothing here gives further rights."
    if report.records is Records.ACCEPTED:
        yield "## Models"
        rows = [("rewriter", backend.rewriter) for backend in backends] + [("verifier", backend.verifier) for backend in backends]
        named = [(role, _model(model)) for role, model in (*dict.fromkeys(rows), *roles.items())]
        yield _table("models", "Who wrote and checked the questions", ("role", "model"), named)
        yield (
            "The rewriter wrote each question and the verifier answered it; reviser and leak rewriter wrote some of them anew. "
            "A model that is scored on this benchmark should be none of them."
        )
    yield from _split_sections(report)
    yield "## Columns"
    columns = [(f"`{name}`", field.description or "") for name, field in BenchmarkRecord.model_fields.items()]
    lines = ["| column | meaning |", "| --- | --- |", *(f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in columns)]
    yield "\n".join(lines)
    yield (
        "In Parquet `labels` is a list of `id` and `label`, `trace.references` a list with `name`, and `trace.steps` a list of one "
        "struct in which what a step lacks is null; `evaluation.exports.parquet.read_parquet` gives the records back as they were."
    )


def _split_sections(report: ExportReport) -> Iterator[str]:
    split = report.split
    assert split is not None
    yield "## Splits"
    rows = [(SPLIT_NAMES[part], *(str(split.sizes[kind][part]) for kind in ConstraintCount)) for part in PARTS]
    yield _table("splits", "Records in each split", ("split", *(f"{kind}" for kind in ConstraintCount)), rows)
    yield (
        f"Split seed {split.seed}, shares {':'.join(map(str, split.shares))}. Records with the same support facts, the same normalised "
        f"question or the same query stay together ({split.groups} groups)."
    )
    alike = "S and M, every combination of operator families and every hop count"
    if split.is_exact:
        yield f"The shares were dealt within {alike}. A record's split depends on how many others there are."
    else:
        yield (
            "A record's split is a hash of its group's content: it stays when the benchmark grows, and the shares hold in expectation, "
            f"alike for {alike}."
        )
    empty = [f"{kind} {SPLIT_NAMES[part]}" for kind in ConstraintCount for part in PARTS if not split.sizes[kind][part]]
    if empty:
        yield f"Without records, and so not named to the `datasets` library, which refuses empty splits: {', '.join(empty)}."
    if split.large_groups:
        largest = ", ".join(map(str, split.large_groups.values()))
        yield f"Large groups, each whole in one split, bend the shares: {largest} records."
    overlaps = [
        (
            overlap.kind.value,
            f"{SPLIT_NAMES[overlap.earlier]} and {SPLIT_NAMES[overlap.later]}",
            f"{overlap.shared} of {overlap.values}",
            f"{overlap.records} of {overlap.of}",
        )
        for overlap in split.overlaps
    ]
    header = ("what", "splits", "values of the later split that are in both", "records of the later split that have one")
    yield _table("overlaps", "What the splits have in common", header, overlaps)


def _model(name: str) -> str:
    return f"the offline rules ({LABEL}): rules, not a language model" if name == LABEL else name


def _table(name: str, caption: str, header: tuple[str, ...], rows: Collection[tuple[str, ...]]) -> str:
    return "#" + as_markdown(Table(name, caption, header, tuple(rows))).rstrip("\n")
