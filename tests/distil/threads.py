"""Three made-up threads, each of another kind of site, and what is known when they are read."""

from functools import cache

from kb.distil import Digest, distil
from kb.entry_file import load_folder
from kb.knowledge import ENTRIES, Knowledge
from kb.thread_file import ClaimFile

QUEUE = """rivera42 opened this issue on May 4, 2025
vLLM 0.8.4 on one L40S, Qwen2.5-14B-Instruct-AWQ. Time to first token jumps from 200 ms to 9 s once 30 users are connected.

```
INFO 05-04 10:11:12 metrics.py:455] Avg prompt throughput: 0.0 tokens/s
```

hmori commented on May 4, 2025
Contributor
That is queueing, not a slow GPU. Check `vllm:num_requests_waiting` in /metrics, and raise --max-num-seqs if it stays above zero.

patel-dev commented on May 5, 2025
> That is queueing, not a slow GPU.
I had the same thing. Lowering --max-model-len from 131072 to 16384 fixed it for me, the KV cache was simply too small.

ghostpepper commented on May 5, 2025
Did you check whether preemption happens? The log says "preempted" when the KV cache runs out. Raising --max-num-seqs made no difference here.

rivera42 commented on May 6, 2025
Author
Raised --max-num-seqs to 256, no effect. Lowering --max-model-len to 16384 did the trick, TTFT is 400 ms now. Prefix caching was not the problem.
"""
LAYERS = """kestrel
on Feb 3, 2025
llama.cpp server on a Ryzen box with a 3060 12GB. I get 4 t/s with a 13B Q4_K_M, GPU usage stays at 10%.

moth
on Feb 3, 2025
Sounds like most layers run on the CPU. Set -ngl 99 and look for "offloaded 41/41 layers to GPU" in the log.

kestrel
on Feb 3, 2025
-ngl 99 gives CUDA out of memory. With -ngl 30 it only goes up to 7 t/s.

borealis
on Feb 4, 2025
Then the KV cache takes the rest. Lower the context with -c 4096, or quantize the cache with --cache-type-k q8_0. A 13B Q4_K_M should reach about 25 t/s on that card.

moth
on Feb 5, 2025
And check that you built with CUDA: without GGML_CUDA=ON the GPU is never used.

kestrel
on Feb 6, 2025
-c 4096 with -ngl 99 works now, 24 t/s. Rebuilding was not necessary.
"""
OLLAMA = """青禾
2025-03-01 09:12
用 Ollama 在 4060Ti 16G 上跑 qwen2.5:32b，每秒只有 3 个字，风扇都不怎么转。
1楼 老周
32b 的 Q4 权重就要 20GB，16G 显存放不下，一部分层跑在 CPU 上了。用 ollama ps 看看 PROCESSOR 那一列。
2楼 阿澄
换个 14b 的模型试试，4060Ti 跑 14b 正常应该有 25 tok/s。
3楼 小鹿
num_ctx 别设太大，我之前设成 32768，显存全被 KV cache 占了，改回 8192 就正常了。
4楼 青禾
ollama ps 显示 45%/55% CPU/GPU。num_ctx 改成 4096 没什么效果。换成 14b 之后速度到了 26 tok/s，解决了。
5楼 老周
那就是 16G 显存放不下，一部分层跑在 CPU 上。另外可以设 OLLAMA_FLASH_ATTENTION=1，能省一点显存。
"""


def claim(key: str, kind: str, verdict: str, en: str, zh: str, **more: object) -> ClaimFile:
    return ClaimFile.model_validate(
        {
            "key": key, "kind": kind, "verdict": verdict, "statement": {"en": en, "zh": zh}, "said_by": 1,
            "reason": {"en": "-", "zh": "-"}, **more,
        }
    )  # fmt: skip


CLAIMS = (
    claim("K-1", "fix", "depends", "Raise --max-num-seqs.", "把 --max-num-seqs 调大。", entries=["max-num-seqs-low"]),
    claim("K-2", "fix", "right", "Lower --max-model-len to leave more KV cache.", "把 --max-model-len 调小，给 KV cache 留空间。"),
    claim("K-3", "cause", "wrong", "Prefix caching is the problem.", "问题出在前缀缓存。"),
    claim("K-4", "fix", "not-a-real-option", "Set OLLAMA_FLASH_ATTENTION=1.", "设置 OLLAMA_FLASH_ATTENTION=1。"),
    claim("K-5", "fix", "depends", "Raise num_ctx.", "把 num_ctx 调大。"),
)  # fmt: skip


@cache
def knowledge() -> Knowledge:
    return Knowledge(tuple(load_folder(ENTRIES)))


@cache
def digest(text: str) -> Digest:
    return distil(text, knowledge(), CLAIMS)


def line(text: str, words: str):
    """The one line of a thread whose statement has the words."""
    found = [line for line in digest(text).lines if words in line.statement]
    assert len(found) == 1, [line.statement for line in digest(text).lines]
    return found[0]
