"""Whatever is pasted: no crash, no hang, and every range holds the words that it quotes."""

import random
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.assessment import Submission
from kb.facts import extract, extract_part, readers
from kb.facts.clean import clean
from kb.facts.redact import redact
from tests.facts.reading import CAPTURES, values

FRAGMENTS = [
    "双路3090", "1秒2-3个token", "vllm serve Qwen/Qwen2.5-7B -tp 2 --enforce-eager", "\x1b[31m", "\x00", "&amp;", "&lt;", "没有开 enforce-eager",
    "INFO 12-01 01:26:48 [core.py:1] GPU KV cache size: 9,600 tokens\n", "ＧＰＵ利用率４０％，", "\n", "\r\n", "\\\n", "'", '"', "| 0  NVIDIA H200  Off |",
    'vllm:num_requests_running{engine="0"} 3\n', "LLM(model='x-7b', dtype='half'", "999999999999999999999B", "1e999", "🙂", "-tp", "= ", "%", "吗?", " ", "\ud800", "‹redacted:user›",
    "Mean TPOT (ms):   41.96\n", "Maximum request concurrency:  16\n", "| m 7B Q4_0 | 4 GiB | 7 B | CUDA | 99 | tg128 | 10.5 ± 0.1 |\n",
    "| model | size | params | backend | ngl | test | t/s |\n", '{"num_hidden_layers": 28, "quantization_config": {"bits": 4', '"}}\n', '"torch_dtype": "float16",\n',
    "eval rate:            7.97 tokens/s\n", "qwen:7b    9f13ba1299af    30 GB    40%/60% CPU/GPU    4096\n", "Args {\n    model_id: \"o/m-7b\",\n num_shard: Some(\n 2,",
    "llama_model_loader: - kv   7: llama.block_count u32 = 28\n", "h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct\n", 'map[OLLAMA_KEEP_ALIVE:-1',
    "Output generated in 12.34 seconds (8.10 tokens/s, 100 tokens, context 12, seed 4)\n", "trtllm_num_requests_waiting 7\n", "> ", "```\n",
    "Traceback (most recent call last):\n", "ValueError: no such layer\n", "  4 threads and 48 connections\n", '"POST /v1/completions HTTP/1.1" 504 1\n',
    '[GIN] 2025/12/02 - 10:00:00 | 200 | 1m2.5s | 127.0.0.1 | POST "/api/chat"\n', "synchronous| 0.20| 1.00| 40.0| 200.0| 5.00| 5.02| 5.10| 60.0| 58.0| 63.0| 20.1|",
    "services:\n  a:\n    image: vllm/vllm-openai:v0.9.0\n", "  limits:\n    nvidia.com/gpu: 2\n", "args: ['-c', \"vllm serve x", "- &a [*a, {", "resources:\n", "---\n",
    "[Service]\nCPUQuota=50%\n", "FROM vllm/vllm-openai:v1\nCMD [\"a\", \"b\"]\n", "PARAMETER num_ctx 4\n", '"ShmSize": 67108864,\n', '"Args": ["serve", ', "MODEL=x\n", "$MODEL",
    "CUDA out of memory. Tried to allocate 1 GiB", " of which 2 MiB is free", "in profile_run\n",
    "<gpu id=\"0\">\n", "<product_name>NVIDIA L4</product_name>\n", "name, power.draw [W]\n", "NVIDIA L4, 70 W\n", "# gpu   pwr    sm\n", "    0    70    12\n", " GPU0 X CNS\n",
    "PyTorch version: 2\n", "GPU 0: NVIDIA L4\n", "vllm==0.9\n", "%Cpu(s): 3.0 us, 1.0 sy, 96.0 id, 0.0 st\n", "LnkSta: Speed 8GT/s, Width x4\n", "available: 2 nodes (0-1)\n",
]  # fmt: skip
pasted = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=20), max_size=25).map("".join)


def assert_ranges_hold(text, facts):
    for fact in facts:
        origin = fact.provenance
        assert 0 <= origin.start < origin.end <= len(text)
        assert origin.quote == text[origin.start : origin.end][:200]


@given(pasted)
@settings(max_examples=150, deadline=None)
def test_every_range_points_at_the_quoted_words(text):
    assert_ranges_hold(text, extract_part(text, "symptom"))


@given(pasted)
@settings(max_examples=100, deadline=None)
def test_cleaned_text_maps_back_into_the_original(text):
    cleaned = clean(text)
    for start in range(0, len(cleaned.text), 3):
        left, right = cleaned.original_span(start, start + 1)
        assert 0 <= left < right <= len(text)


def test_all_parts_of_a_submission_are_read():
    facts = extract(Submission(text="双路3090很慢", command="vllm serve org/m-7b", log="Xid 79", nvidia_smi=""))
    assert {fact.provenance.source for fact in facts} == {"symptom", "command", "log"}


def test_the_same_facts_are_found_in_coloured_full_width_and_escaped_text():
    plain = "GPU利用率只有40%, 10 tokens/s"
    assert values("\x1b[31mGPU\x1b[0m利用率只有４０％，１０ tokens/s") == values(plain)
    assert values("--max-model-len&nbsp;4096 &amp; 10 tokens/s")["engine.max_model_len"] == 4096


@given(pasted)
@settings(max_examples=50, deadline=None)
def test_redacted_noise_can_be_stored_and_read(text):
    redacted, _ = redact(text)
    redacted.encode("utf-8")
    assert_ranges_hold(redacted, extract_part(redacted, "symptom"))


def test_long_noise_ends_and_states_no_speed():
    noise = "".join(random.Random(1).choices(string.ascii_letters + "中文 ", k=200_000)) * 20
    assert not any(fact.name.startswith("decode.") for fact in extract_part(noise, "log"))


def test_a_line_of_a_hundred_thousand_digits_is_read_over():
    text = "9" * 100_000 + "\n4090 上只有 5 tokens/s"
    assert values(text)["decode.tokens_per_s"] == 5


def test_the_first_and_the_last_words_around_a_long_log_are_read():
    log = (CAPTURES / "vllm_offload.log").read_text(encoding="utf-8")
    text = "双路3090，很慢\n" + log * 60 + "\n只有 5 tokens/s\n"
    facts = values(text)
    assert facts["gpu.count"] == 2
    assert facts["decode.tokens_per_s"] == 5
    assert facts["engine.offloaded_gib"] == 8.12


def test_a_paste_format_is_found_by_looking_in_the_folder():
    kinds = {reader.KIND for reader in readers()}
    assert {"launch_command", "engine_log", "nvidia_smi", "prometheus_text", "host_tools"} <= kinds
    for reader in readers():
        assert callable(reader.recognise)
        assert callable(reader.extract)
        assert reader.KIND.startswith("prose_") or callable(reader.claimed)
