"""What the flag files say, held against what is known of the engines' releases."""

import pytest
import yaml

from kb.flag_file import FlagFile, catalogue
from kb.versions import within

VLLM = catalogue()["vllm"]

HISTORY = [
    ("--num-scheduler-steps", "0.5.4", "0.5.5", "0.10.0", "0.10.1"),
    ("--multi-step-stream-outputs", "0.6.1", "0.6.2", "0.10.0", "0.10.1"),
    ("--tokenizer-pool-size", "0.3.3", "0.4.1", "0.9.2", "0.10.0"),
    ("--preemption-mode", "0.4.3", "0.5.1", "0.10.2", "0.11.0"),
    ("--max-seq-len-to-capture", "0.4.1", "0.4.3", "0.10.2", "0.11.0"),
    ("--lora-extra-vocab-size", "0.2.7", "0.3.0", "0.11.0", "0.12.0"),
    ("--long-lora-scaling-factors", "0.4.2", "0.4.3", "0.9.2", "0.10.0"),
    ("VLLM_ATTENTION_BACKEND", None, "0.4.2", "0.14.0", "0.16.0"),
]
SINCE = [
    ("--enforce-eager", "0.2.5", "0.2.6"), ("--disable-custom-all-reduce", "0.2.7", "0.3.0"),
    ("--cpu-offload-gb", "0.5.2", "0.5.3"), ("--numa-bind", "0.19.0", "0.20.0"), ("--async-scheduling", "0.9.2", "0.10.0"),
    ("--safetensors-load-strategy", "0.10.1", "0.10.2"), ("--max-model-len", "0.1.7", "0.2.0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "first", "last", "gone"), HISTORY)
def test_a_removed_flag_has_a_first_and_a_last_version(name, before, first, last, gone):
    flag = VLLM.find(name)
    assert [VLLM.standing(flag, version) for version in (first, last, gone)] == ["exists", "exists", "removed"]
    assert before is None or VLLM.standing(flag, before) == "not_yet"


@pytest.mark.parametrize(("name", "before", "first"), SINCE)
def test_a_flag_that_stays_has_a_first_version(name, before, first):
    flag = VLLM.find(name)
    assert [VLLM.standing(flag, version) for version in (before, first, VLLM.read[-1])] == [
        "not_yet",
        "exists",
        "exists",
    ]


@pytest.mark.parametrize("written", ["--swap_space", "--swap-space", "--swap"])
def test_a_flag_is_found_in_every_spelling_that_the_engine_takes(written):
    assert VLLM.find(written).name == "--swap-space"


def test_a_negated_switch_a_short_form_and_a_dotted_key_are_the_flag_itself():
    assert VLLM.find("--no-enable-prefix-caching").name == "--enable-prefix-caching"
    assert VLLM.find("-tp").name == "--tensor-parallel-size"
    assert VLLM.find("--structured-outputs-config.backend").name == "--structured-outputs-config"


def test_a_beginning_that_fits_several_flags_is_none_of_them():
    assert VLLM.find("--max-num") is None and VLLM.abbreviates_any("--max-num")


def test_a_release_candidate_of_the_release_that_changed_is_unknown():
    flag = VLLM.find("--num-scheduler-steps")
    assert VLLM.standing(flag, "0.10.1rc1") == "unknown"
    assert VLLM.standing(flag, "0.10.1.dev12+gabc1234") == "unknown"
    assert VLLM.standing(flag, "0.11.0rc2") == "removed"


def test_a_version_without_its_last_part_stands_for_all_that_begin_so():
    flag = VLLM.find("--num-scheduler-steps")
    assert [VLLM.standing(flag, version) for version in ("0.9", "0.10", "0.11")] == ["exists", "unknown", "removed"]


def test_a_version_newer_than_all_that_were_read_keeps_what_the_newest_has():
    assert VLLM.standing(VLLM.find("--max-model-len"), "1.5.0") == "exists"
    assert VLLM.standing(VLLM.find("--swap-space"), "1.5.0") == "removed"


@pytest.mark.parametrize("version", ["nightly", "latest", ""])
def test_a_name_that_is_no_version_says_nothing(version):
    assert VLLM.standing(VLLM.find("--swap-space"), version) == "unknown"


def test_the_default_depends_on_the_version():
    flag = VLLM.find("--gpu-memory-utilization")
    assert (flag.default("0.6.3"), flag.default("0.24.0")) == ("0.9", "0.92")


@pytest.mark.parametrize("file", catalogue().values(), ids=lambda file: file.engine)
def test_every_version_in_a_file_was_read_or_stands_in_order(file):
    for flag in file.flags:
        for version in (flag.first, flag.removed):
            assert not version or version in file.read, flag.name
        assert not flag.removed or flag.in_release(file.read[-1]) == "removed", flag.name
        for default in flag.defaults:
            assert not file.read or any(within(version, default.versions) for version in file.read), flag.name


@pytest.mark.parametrize("file", catalogue().values(), ids=lambda file: file.engine)
def test_every_replacement_exists_in_the_newest_version(file):
    for flag in file.flags:
        if flag.replaced_by and flag.replaced_by.flag and flag.removed:
            new = file.find(flag.replaced_by.flag)
            assert new is not None, flag.name


@pytest.mark.parametrize("file", catalogue().values(), ids=lambda file: file.engine)
def test_every_contradiction_names_known_flags(file):
    for conflict in file.conflicts:
        for words in (*conflict.given, *conflict.without):
            assert file.find(words.split()[0]) is not None, words


def test_every_flag_of_the_newest_vllm_is_explained_in_both_languages():
    current = [flag for flag in VLLM.flags if not flag.is_variable and not flag.removed]
    assert len(current) > 300
    assert [flag.name for flag in current if flag.meaning is None] == []


def test_a_name_that_stands_twice_is_refused():
    flags = [{"name": "--a"}, {"name": "--b", "aliases": ["--a"]}]
    with pytest.raises(ValueError, match="named twice: --a"):
        FlagFile.model_validate({"engine": "x", "title": "X", "sources": ["s"], "flags": flags})


def test_a_further_engine_is_one_more_file(tmp_path, monkeypatch):
    text = yaml.safe_dump({"engine": "new", "title": "New", "sources": ["s"], "flags": [{"name": "--a"}]})
    (tmp_path / "new.yaml").write_text(text, "utf-8")
    monkeypatch.setattr("kb.flag_file.FOLDER", tmp_path)
    assert list(catalogue.__wrapped__()) == ["new"]


def test_a_broken_file_is_named(tmp_path, monkeypatch):
    (tmp_path / "bad.yaml").write_text("engine: x", "utf-8")
    monkeypatch.setattr("kb.flag_file.FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"bad\.yaml"):
        catalogue.__wrapped__()
