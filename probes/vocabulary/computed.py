"""Facts computed from other facts: the roofline, the expectation, whether it fits."""

from probes.vocabulary.declare import FactType as F

FACTS = (
    F("normal.ceiling_tokens_per_s", "float", "带宽上限速度", "ceiling by memory bandwidth", "tok/s"),
    F("normal.expected_tokens_per_s", "float", "现实预期速度", "realistic expectation", "tok/s"),
    F("normal.share_of_ceiling", "float", "实测占上限的比例", "measured speed over the ceiling"),
    F("normal.slowdown", "float", "比预期慢的倍数", "times slower than expected", "x"),
    F("normal.state", "str", "速度判断", "judgement of the speed",
      choices=("normal", "look-closer", "slow", "far-too-slow", "faster-than-physics", "unknown")),
    F("fit.weights_gib", "float", "权重所需显存", "memory that the weights need", "GiB"),
    F("fit.free_for_kv_gib", "float", "留给 KV cache 的显存", "memory left for the KV cache", "GiB"),
    F("fit.max_model_len", "int", "放得下的最大上下文", "longest context that fits", "tokens"),
    F("fit.weights_fit_one_gpu", "bool", "权重放得进一张卡", "the weights fit one GPU"),
    F("fit.fits", "bool", "模型加上下文放得下", "model and context fit"),
)
