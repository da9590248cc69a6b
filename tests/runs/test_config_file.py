"""A config file in, a validated config out, and one clear line for everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from runs.config_file import check_environment, load_config, load_graph_config
from runs.config_identity import dump_config, first_difference, identity, redact_address
from state.errors import ConfigError
from state.interval import Granularity

GOOD = """\
dataset: years
graph:
  path: bundled:years
sampler:
  seed: 3
models:
  offline: {provider: offline-rules}
  gpt-4.1:
    provider: openai
    model: gpt-4.1
    api_key_env: SOME_TEST_KEY
    base_url: "https://user:sk-hidden@host.example:8000/v1?api-key=sk-hidden"
"""


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def refusal(tmp_path: Path, text: str, *overrides: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text), overrides)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_good_file_gives_its_values_and_the_defaults_of_the_rest(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, GOOD)).config
    assert (config.dataset, config.sampler.seed, config.sampler.target) == ("years", 3, 1000)


@pytest.mark.parametrize(
    ("override", "read"),
    [
        ("sampler.seed=7", lambda config: config.sampler.seed == 7),
        ("sampler.rules.sayable=false", lambda config: config.sampler.rules.sayable is False),
        ("run.budget_usd=null", lambda config: config.run.budget_usd is None),
        ("graph.path=../data/my graph", lambda config: config.graph.path == "../data/my graph"),
        ("graph.path=[a.tsv, b.tsv]", lambda config: config.graph.path == ("a.tsv", "b.tsv")),
        ("graph.open_dates=[9999-12-31]", lambda config: config.graph.open_dates == ("9999-12-31",)),
        ("agents.verifier={model: gpt-4.1}", lambda config: config.agents.verifier.model == "gpt-4.1"),
        ("models.gpt-4.1.concurrency=2", lambda config: config.models["gpt-4.1"].concurrency == 2),
        ("agents.appeal.model=gpt-4.1", lambda config: config.agents.appeal.model == "gpt-4.1"),
        ("graph.source=a=b", lambda config: config.graph.source == "a=b"),
    ],
)
def test_an_override_is_read_as_yaml(tmp_path: Path, override: str, read) -> None:
    assert read(load_config(write(tmp_path, GOOD), [override]).config)


def test_the_last_of_two_overrides_of_one_key_wins(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, GOOD), ["sampler.seed=1", "sampler.seed=2"]).config.sampler.seed == 2


def test_licence_and_source_in_a_file_are_not_claimed_for_another_graph(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("path: bundled:years", "path: bundled:years\n  licence: MIT\n  source: mine"))
    for overrides, licence in (((), "MIT"), (("path=bundled:years",), "MIT"), (("path=x",), None), (("path=x", "licence=CC0"), "CC0")):
        assert load_config(path, [f"graph.{override}" for override in overrides]).config.graph.licence == licence


def test_a_date_without_quotes_stays_the_text_it_is(tmp_path: Path) -> None:
    text = GOOD.replace("path: bundled:years", "path: bundled:years\n  open_dates: [2262-04-11, 9999-12-31]")
    assert load_config(write(tmp_path, text)).config.graph.open_dates == ("2262-04-11", "9999-12-31")


def test_a_misspelt_key_is_named_with_its_line_and_the_nearest_known_one(tmp_path: Path) -> None:
    message = refusal(tmp_path, GOOD.replace("seed: 3", "seeed: 3"))
    assert "my.yaml:5, sampler.seeed: unknown key" in message
    assert "Did you mean 'seed'?" in message


def test_a_misspelt_key_below_a_model_is_checked_against_the_keys_of_a_model(tmp_path: Path) -> None:
    message = refusal(tmp_path, GOOD, "models.gpt-4.1.concurency=3")
    assert message.startswith("--set models.gpt-4.1.concurency: unknown key. Did you mean 'concurrency'?")


def test_an_unknown_model_is_named_with_the_known_ones(tmp_path: Path) -> None:
    message = refusal(tmp_path, GOOD + "agents:\n  verifier:\n    model: gpt-4.l\n")
    assert "my.yaml:15, agents.verifier.model: no model 'gpt-4.l' in models. Did you mean 'gpt-4.1'?" in message


def test_a_value_of_the_wrong_kind_is_shown(tmp_path: Path) -> None:
    assert "my.yaml:5, sampler.seed: input should be a valid integer" in refusal(tmp_path, GOOD.replace("seed: 3", "seed: many"))
    assert "not 'many'" in refusal(tmp_path, GOOD.replace("seed: 3", "seed: many"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "holds no keys"),
        ("- a\n", "holds no keys"),
        ("dataset: [\n", "not YAML"),
        ("dataset: a\ndataset: b\n", "dataset: the key is there twice"),
        ("graph: {path: x}\n", "dataset: the key is missing"),
        ("dataset: a\ngraph: 3\n", "graph: there must be keys below this key. Name one, such as graph.path. Known: columns,"),
        ("dataset: a\n\x00", "not YAML"),
        ("dataset: !!python/object/apply:os.system [ls]\n", "not YAML"),
        ("format: 2\ndataset: a\ngraph: {path: x}\n", "only config format 1"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path: Path, text: str, what: str) -> None:
    assert what in refusal(tmp_path, text)


def test_a_missing_file_is_refused_with_the_configs_nearby(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    with pytest.raises(ConfigError, match=r"mine\.yaml: there is no such config file\. Did you mean .*my\.yaml"):
        load_config(str(tmp_path / "mine.yaml"))


def test_a_folder_or_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(str(tmp_path))
    (tmp_path / "bytes.yaml").write_bytes(b"dataset: \xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_config(str(tmp_path / "bytes.yaml"))


def test_the_mode_roundtrip_names_the_key_that_it_needs(tmp_path: Path) -> None:
    message = refusal(tmp_path, GOOD, "agents.verifier.modes=[all, roundtrip]")
    assert "agents.round_trip_reader.model" in message
    for modes in ("[all, roundtrip]", "[roundtrip]", "[single, roundtrip, all]"):
        config = load_config(write(tmp_path, GOOD), (f"agents.verifier.modes={modes}", "agents.round_trip_reader.model=offline")).config
        assert config.agents.round_trip_reader is not None
    assert "once" in refusal(tmp_path, GOOD, "agents.verifier.modes=[roundtrip, roundtrip]", "agents.round_trip_reader.model=offline")


@pytest.mark.parametrize("override", ["sampler.seed", "=3", "sampler.seed=[1", "sampler.seed.low=3"])
def test_an_override_that_cannot_be_read_is_refused(tmp_path: Path, override: str) -> None:
    assert "--set" in refusal(tmp_path, GOOD, override)


@pytest.mark.parametrize(
    "override",
    [
        "models.gpt-4.1.api_key=sk-test-DO-NOT-LEAK",
        "models.gpt-4.1.params.api_key=sk-test-DO-NOT-LEAK",
        "models.gpt-4.1.params.extra_body={headers: {Authorization: sk-test-DO-NOT-LEAK}}",
        "models.gpt-4.1.api_key_env=sk-test-DO-NOT-LEAK",
        "models.gpt-4.1.headers_env={X-Key: sk-test-DO-NOT-LEAK}",
        "models.gpt-4.1.api_key_env=[sk-test-DO-NOT-LEAK]",
        "models.gpt-4.1.headers_env.Authorization=[sk-test-DO-NOT-LEAK]",
        "models.gpt-4.1.token_limit=sk-test-DO-NOT-LEAK",
        "models.gpt-4.1.timeout_s=https://user:sk-test-DO-NOT-LEAK@host/?k=sk-test-DO-NOT-LEAK",
        "api_key sk-test-DO-NOT-LEAK",
    ],
)
def test_a_literal_key_is_refused_and_never_shown(tmp_path: Path, override: str) -> None:
    message = refusal(tmp_path, GOOD, override)
    assert "DO-NOT-LEAK" not in message


@pytest.mark.parametrize(
    "address",
    [
        "user:sk-test-DO-NOT-LEAK@host/v1",
        "//user:sk-test-DO-NOT-LEAK@host/v1",
        "ftp://user:sk-test-DO-NOT-LEAK@host/v1",
        "http://host:sk-test-DO-NOT-LEAK/v1",
        "http://host:99999/v1?key=sk-test-DO-NOT-LEAK",
        "http://user:sk-test-DO-NOT-LEAK@[host/v1",
        "https:///v1?key=sk-test-DO-NOT-LEAK",
        "",
    ],
)
def test_an_address_that_no_client_can_use_is_refused_and_never_shown(tmp_path: Path, address: str) -> None:
    message = refusal(tmp_path, GOOD, f"models.gpt-4.1.base_url='{address}'")
    assert message.startswith("--set models.gpt-4.1.base_url: ")
    assert "DO-NOT-LEAK" not in message


@pytest.mark.parametrize(
    "override",
    [
        "sampler.seed=99999999999999999999",
        "sampler.target=99999999999999999999",
        "sampler.quotas.templates={A -> B: .inf}",
        "sampler.quotas.operators={I-before-I: .nan}",
        "sampler.quotas.operators={I-before-I: -1}",
        "models.gpt-4.1.price={input: .inf, output: 1}",
        "models.gpt-4.1.timeout_s=.inf",
        "models.gpt-4.1.params={temperature: .nan}",
        "models.gpt-4.1.params={stop: !!binary aGVsbG8=}",
        "models.gpt-4.1.params={stop: !!set {a}}",
        "models.gpt-4.1.params={messages: []}",
        "models.gpt-4.1.params={stream: true}",
        "models.gpt-4.1.params={n: null}",
        "models.gpt-4.1.params={n: 2.0}",
        "models.gpt-4.1.params={n: '3'}",
        "agents.verifier.prompt=../../outside",
        "agents.rewriter.prompt=a/b",
        "study.verifier.prompts=[v1, ../../outside]",
        'study.verifier.reader_prompts=[""]',
        "study.rewriter.prompts=[a/b]",
        "study.allocation={X: 3}",
        "study.allocation={P-P: -1}",
        "study.allocation=evenly",
    ],
)
def test_a_value_that_nothing_could_be_made_of_is_refused_before_any_work(tmp_path: Path, override: str) -> None:
    assert refusal(tmp_path, GOOD, override).startswith(f"--set {override.partition('=')[0]}")


@pytest.mark.parametrize(
    "override",
    [
        r'graph.types="a\0b"',
        r'graph.source="\ud800"',
        r'graph.open_dates=["\udfff"]',
        r'models.gpt-4.1.params={stop: "\ud800"}',
        r'sampler.quotas.operators={"\ud800": 1}',
    ],
)
def test_a_text_that_no_file_can_hold_is_refused(tmp_path: Path, override: str) -> None:
    message = refusal(tmp_path, GOOD, override)
    assert message.startswith(f"--set {override.partition('=')[0]}")
    assert "no file can hold" in message


@pytest.mark.parametrize("key", ["sk-DO-NOT-LEAK\nsecond line", "sk-DO-NOT-LEAK\r", "schlüssel-DO-NOT-LEAK"])
@pytest.mark.parametrize("place", ["api_key_env=SOME_TEST_KEY", "headers_env={X-Extra: SOME_TEST_KEY}"])
def test_a_key_that_no_header_can_carry_is_refused_before_any_work_and_never_shown(tmp_path: Path, place: str, key: str) -> None:
    overrides = ["models.gpt-4.1.api_key_env=null", f"models.gpt-4.1.{place}", "agents.verifier.model=gpt-4.1"]
    with pytest.raises(ConfigError, match="SOME_TEST_KEY holds") as caught:
        check_environment(load_config(write(tmp_path, GOOD), overrides), {"SOME_TEST_KEY": key})
    assert "DO-NOT-LEAK" not in str(caught.value)


def test_a_name_that_no_header_can_have_is_refused(tmp_path: Path) -> None:
    assert "headers_env" in refusal(tmp_path, GOOD, "models.gpt-4.1.headers_env={'X Extra:': SOME_TEST_KEY}")


def test_a_missing_key_variable_is_named_before_any_work(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, GOOD), ["agents.verifier.model=gpt-4.1"])
    with pytest.raises(ConfigError) as caught:
        check_environment(loaded, {"SOME_TEST_KEY": " "})
    assert "my.yaml:11, models.gpt-4.1.api_key_env: the environment variable SOME_TEST_KEY is not set" in str(caught.value)
    check_environment(loaded, {"SOME_TEST_KEY": "sk"})


def test_what_may_be_a_key_in_the_place_of_a_variables_name_is_not_shown(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, GOOD), ["agents.verifier.model=gpt-4.1", "models.gpt-4.1.api_key_env=sk_hidden"])
    with pytest.raises(ConfigError) as caught:
        check_environment(loaded, {})
    assert "sk_hidden" not in str(caught.value)


def test_a_model_that_plays_no_role_needs_no_key(tmp_path: Path) -> None:
    check_environment(load_config(write(tmp_path, GOOD)), {})


def test_the_resolved_config_reads_back_the_same_but_for_credentials(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, GOOD), ["graph.open_dates=[2262-04-11]"]).config
    text = dump_config(config)
    assert "sk-hidden" not in text
    assert yaml.safe_load(text)["format"] == 1
    again = load_config(write(tmp_path, text)).config
    assert again.models["gpt-4.1"].base_url == "https://host.example:8000/v1"
    assert dump_config(again) == text
    assert identity(again) == identity(config)


@pytest.mark.parametrize(
    "override", ["run.concurrency=1", "run.limit=3", "run.budget_usd=2", "sampler.workers=4", "cache.path=x", "models.gpt-4.1.rpm=3"]
)
def test_speed_limits_and_the_cache_are_not_part_of_a_runs_identity(tmp_path: Path, override: str) -> None:
    one, other = (load_config(write(tmp_path, GOOD), overrides).config for overrides in ([], [override]))
    assert identity(one) == identity(other)


def test_the_first_key_that_differs_is_named(tmp_path: Path) -> None:
    one, other = (load_config(write(tmp_path, GOOD), overrides).config for overrides in ([], ["sampler.caps.seed_min=6"]))
    assert first_difference(identity(one), identity(other)) == "sampler.caps.seed_min"
    assert first_difference(identity(one), identity(one)) is None


def test_an_address_loses_user_password_query_and_fragment() -> None:
    assert redact_address("https://u:p@h.example:1/v1?k=s#f") == "https://h.example:1/v1"


def test_a_graph_can_be_named_without_a_config(tmp_path: Path) -> None:
    assert {load_graph_config(f"bundled:{name}").granularity for name in ("days", "days_eventkg")} == {Granularity.DAY}
    assert load_graph_config("some/folder", ["graph.granularity=month"]).granularity is Granularity.MONTH
    assert load_graph_config(write(tmp_path, GOOD)).path == "bundled:years"


@pytest.mark.parametrize("name", ["quickstart.yaml", "cron.yaml"])
def test_the_configs_of_the_package_are_valid_and_need_no_key(name: str) -> None:
    loaded = load_config(Path(__file__).parents[2] / "runs" / name)
    check_environment(loaded, {})


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("{X: 3}", "study.allocation: input should be 'I-I'"),
        ("{P-P: -1}", "study.allocation: input should be greater than or equal to 0"),
        ("evenly", "study.allocation: input should be 'proportional', 'even' or 'paper', not 'evenly'"),
    ],
)
def test_a_wrong_allocation_is_told_by_what_was_meant(tmp_path: Path, value: str, says: str) -> None:
    assert says in refusal(tmp_path, GOOD, f"study.allocation={value}")
