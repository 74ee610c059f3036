"""A pasted command is held against the version that it is said to run on."""

import pytest

from kb.assessment import assess
from kb.fixes import commands_here, possible, rank_fixes
from kb.flag_check import unavailable, unknown
from kb.flag_file import catalogue
from kb.judgement import RankedCause, Submission
from kb.knowledge import Knowledge, shipped
from kb.versions import within
from tests.ranking.made import entry, facts, fix

NOTHING = Knowledge((entry("alpha"),))


def said(command, text=""):
    answer = assess(Submission(command=command, text=text), NOTHING)
    return [(finding.kind, finding.en, finding.zh) for finding in answer.findings]


def contradictions(command, text=""):
    return [en for kind, en, _ in said(command, text) if kind == "contradiction"]


def test_a_removed_flag_is_named_with_its_replacement_in_both_languages():
    command = "docker run --gpus all vllm/vllm-openai:v0.11.0 --model M --guided-decoding-backend xgrammar"
    ((_, en, zh),) = [found for found in said(command) if found[0] == "contradiction"]
    assert "no longer has --guided-decoding-backend (removed in 0.11.0)" in en and "--structured-outputs-config" in en
    assert "已没有 --guided-decoding-backend" in zh and "改用 --structured-outputs-config" in zh


def test_a_flag_that_came_later_is_named_with_its_first_version():
    (en,) = contradictions("docker run vllm/vllm-openai:v0.6.3 --model M --async-scheduling")
    assert "does not have --async-scheduling yet: it came with 0.10.0" in en


def test_a_slip_of_the_pen_gets_the_nearest_name_whatever_the_version():
    (en,) = contradictions("vllm serve M --gpu-memory-utilisation 0.9")
    assert "--gpu-memory-utilization" in en


def test_a_misspelt_variable_gets_the_nearest_name():
    (en,) = contradictions("VLLM_ATTENTION_BACKEN=FLASHINFER vllm serve M")
    assert "VLLM_ATTENTION_BACKEND" in en


def test_a_variable_that_is_no_longer_read_has_no_effect():
    (en,) = contradictions("docker run -e VLLM_USE_V1=0 vllm/vllm-openai:v0.16.0 --model M")
    assert "VLLM_USE_V1" in en and "no effect" in en


REFUSALS = [
    ("vllm: error: unrecognized arguments: --num-scheduler-steps 8", "vllm serve M", "--num-scheduler-steps", "removed in 0.10.1"),
    ("api_server.py: error: unrecognized arguments: --async-scheduling", "vllm serve M", "--async-scheduling", "since 0.10.0"),
    ("TypeError: EngineArgs.__init__() got an unexpected keyword argument 'swap_space'", "vllm serve M", "--swap-space", "0.18.0"),
    ("error: unexpected argument '--max-paddings' found", "text-generation-launcher --model-id M", "--max-paddings", "No version"),
    ("error: invalid argument: --no-mmap", "llama-server -m M.gguf", "--no-mmap", "--load-mode"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "command", "flag", "words"), REFUSALS)
def test_what_the_engine_itself_refuses_is_read_from_its_log(line, command, flag, words):
    answer = assess(Submission(command=command, log=line), NOTHING)
    assert [fact.value for fact in answer.facts.all("engine.unknown_flag")] == [flag]
    assert any(flag in each.en and words in each.en for each in answer.findings if each.kind == "contradiction")


def test_what_a_benchmark_refuses_is_no_flag_of_the_engine():
    line = "benchmark_serving.py: error: unrecognized arguments: --dataset-name random"
    answer = assess(Submission(command="vllm serve M", log=line), NOTHING)
    assert answer.facts.all("engine.unknown_flag") == []


def test_the_fact_stands_beside_the_finding():
    answer = assess(Submission(command="docker run vllm/vllm-openai:v0.18.0 --model M --swap-space 4"), NOTHING)
    assert [fact.value for fact in answer.facts.all("engine.unknown_flag")] == ["--swap-space"]


def test_an_unknown_flag_is_a_contradiction_and_forbids_healthy():
    answer = assess(Submission(command="vllm serve M --tensor-paralel-size 2"), NOTHING)
    assert answer.verdict == "suspected"


@pytest.mark.parametrize("command", [
    "docker run --gpus all --ipc=host --device /dev/kfd --shm-size 16g -p 8000:8000 vllm/vllm-openai:v0.11.0 --model M",
    "vllm serve M -tp 2 --max_model_len 8192 --no-enable-prefix-caching -O3",
    "vllm serve M --tensor-parallel 2 --structured-outputs-config.backend xgrammar",
    "python -m sglang.launch_server --model-path M --tp 2 --dp 2 --ep 2",
    "vllm bench serve --model M --dataset-name random --random-input-len 512",
    "numactl --cpunodebind=0 --membind=0 vllm serve M",
    "llama-bench -m M.gguf -ngl 99 -p 512 -n 128 -o md",
])  # fmt: skip
def test_options_of_docker_short_forms_and_other_programs_are_no_mistakes(command):
    assert contradictions(command) == []


def test_nothing_is_said_where_two_versions_are_stated_and_one_has_the_flag():
    upgrade = "After the upgrade from vLLM 0.6.3 to vLLM 0.11.0 it does not start."
    assert contradictions("vllm serve M --num-scheduler-steps 8", upgrade) == []


def test_a_flag_of_old_versions_is_a_note_where_no_version_is_stated():
    kinds = {kind: en for kind, en, _ in said("vllm serve M --num-scheduler-steps 8")}
    assert "only in vLLM before 0.10.1" in kinds["note"]


def test_a_flag_that_is_being_replaced_is_a_note_with_its_replacement():
    notes = [en for kind, en, _ in said("llama-server -m M.gguf --no-mmap") if kind == "note"]
    assert any("Use --load-mode instead" in en for en in notes)


def test_a_flag_is_not_being_replaced_in_a_version_that_lacks_the_replacement():
    def notes(version):
        text = f"SGLang {version}"
        command = "python -m sglang.launch_server --model-path M --enable-dp-attention"
        return [en for kind, en, _ in said(command, text) if kind == "note" and "replaced" in en]

    assert notes("0.4.6") == [] and len(notes("0.5.23")) == 1


CLASHES = [
    ("vllm serve M --enforce-eager --cudagraph-capture-sizes 1 2 4", "runs without CUDA graphs"),
    ("vllm serve M --enable-auto-tool-choice", "needs --tool-call-parser"),
    ("vllm serve M --enable-prefix-caching --no-enable-prefix-caching", "on and off"),
    ("docker run vllm/vllm-openai:v0.8.5 --model M --num-scheduler-steps 8", "fall back to the slower V0"),
    ("docker run vllm/vllm-openai:v0.6.3 --model M -q gptq", "slow GPTQ kernel"),
]


@pytest.mark.parametrize(("command", "words"), CLASHES)
def test_flags_that_contradict_each_other_are_named(command, words):
    assert any(words in en for en in contradictions(command))


@pytest.mark.parametrize("command", [
    "vllm serve M --enforce-eager",
    "vllm serve M --enable-auto-tool-choice --tool-call-parser hermes",
    "docker run vllm/vllm-openai:v0.7.3 --model M --num-scheduler-steps 8",
    "docker run vllm/vllm-openai:v0.22.0 --model M --quantization gptq",
])  # fmt: skip
def test_flags_that_go_together_are_left_alone(command):
    assert contradictions(command) == []


OLD = {"engine": "vllm", "run": "vllm serve M --num-scheduler-steps 8"}


def test_a_fix_never_advises_a_flag_that_the_version_lacks():
    advised = fix("steps", commands=[OLD])
    (parsed,) = entry("alpha", fixes=[advised]).fixes
    new, old = (facts(engine__name="vllm", engine__version=version) for version in ("0.11.0", "0.7.3"))
    assert not possible(parsed, new) and commands_here(parsed, new) == []
    assert possible(parsed, old) and len(commands_here(parsed, old)) == 1
    assert len(commands_here(parsed, facts(engine__name="vllm"))) == 1


SHIPPED = [
    pytest.param(command, id=f"{entry.slug}-{fix.id}-{number}")
    for entry in shipped().entries
    for fix in entry.fixes
    for number, command in enumerate(fix.commands)
]


@pytest.mark.parametrize("command", SHIPPED)
def test_a_shipped_command_uses_only_flags_of_the_versions_that_it_claims(command):
    """Without a claim it must run on the newest version; older ones that lack a flag never see it."""
    assert [used.name for used in unknown(command.run)] == []
    read = catalogue()[command.engine].read if command.engine in catalogue() else []
    claimed = [version for version in read if within(version, command.versions)] if command.versions else read[-1:]
    lacking = {version: [used.name for used in unavailable(command.run, version)] for version in claimed}
    assert {version: names for version, names in lacking.items() if names} == {}


def test_a_ranked_fix_carries_only_the_commands_that_run_here():
    both = fix("steps", commands=[OLD, {"engine": "vllm", "run": "vllm serve M --async-scheduling"}])
    base = Knowledge((entry("alpha", fixes=[both]),))
    causes = [RankedCause("alpha", 0.5, 0.0, ())]
    (ranked,) = rank_fixes(causes, base, facts(engine__name="vllm", engine__version="0.7.3"))
    assert [command.run for command in ranked.fix.commands] == [OLD["run"]]
