"""Facts that a person states about behaviour: what changes it, what was tried, what it looks like."""

from probes.vocabulary.declare import FactType as F

SYMPTOMS = ("slow", "oom", "load", "hang", "output", "error", "multi-gpu")
TRIED = (
    "single-gpu", "tensor-parallel", "other-quantization", "full-precision", "raise-gpu-memory-utilization",
    "lower-gpu-memory-utilization", "lower-max-model-len", "raise-batch", "lower-batch", "other-engine", "upgrade",
    "downgrade", "reinstall", "restart", "reboot", "enforce-eager", "other-gpu", "smaller-model", "more-workers",
)

FACTS = (
    F("symptom.kind", "str", "症状类别", "kind of trouble", choices=SYMPTOMS, many=True),
    F("tried.change", "str", "已尝试", "already tried", choices=TRIED, many=True),
    F("tried.without_effect", "str", "已尝试但无效", "tried without effect", choices=TRIED, many=True),
    F("observed.slower_with_batch", "bool", "批量或并发增大反而更慢", "slower with a larger batch or more requests"),
    F("observed.fine_when_single", "bool", "单请求正常", "one request alone is fine"),
    F("observed.tp_without_effect", "bool", "改张量并行没有差别", "tensor parallel size makes no difference"),
    F("observed.tp_slower", "bool", "多卡比单卡慢", "several GPUs are slower than one"),
    F("observed.only_multi_gpu", "bool", "只在多卡时出现", "only with several GPUs"),
    F("observed.only_multi_node", "bool", "只在多机时出现", "only across machines"),
    F("observed.first_request_slow", "bool", "首个请求慢，之后正常", "the first request is slow, later ones are fine"),
    F("observed.degrades_over_time", "bool", "越跑越慢", "gets slower as it runs"),
    F("observed.intermittent", "bool", "时好时坏", "comes and goes"),
    F("observed.after_upgrade", "bool", "升级之后出现", "began after an upgrade"),
    F("observed.after_idle", "bool", "空闲一段时间后出现", "after a time without requests"),
    F("observed.after_reboot_fixed", "bool", "重启机器后恢复", "a reboot cures it"),
    F("observed.long_prompts_slow", "bool", "长提示时慢", "slow with long prompts"),
    F("observed.quant_slower_than_fp16", "bool", "量化后反而更慢", "the quantised model is slower than full precision"),
    F("observed.other_engine_faster", "bool", "别的引擎更快", "another engine is faster on the same machine"),
    F("observed.cpu_busy_gpu_idle", "bool", "CPU 忙而 GPU 闲", "CPU busy while the GPU idles"),
    F("observed.gpu_idle", "bool", "GPU 几乎没有利用", "the GPU is hardly used"),
    F("observed.gpu_full_but_slow", "bool", "GPU 满载但很慢", "the GPU is at 100% and still slow"),
    F("observed.one_gpu_at_a_time", "bool", "多卡轮流工作", "the GPUs work one after another"),
    F("observed.one_gpu_busy", "bool", "只有一张卡在忙", "only one of the GPUs is busy"),
    F("observed.tokens_arrive_at_once", "bool", "流式输出一次性到达", "streamed tokens arrive all at once"),
    F("observed.garbled", "bool", "输出乱码", "garbled output"),
    F("observed.repeats", "bool", "重复或停不下来", "repeats or does not stop"),
    F("observed.empty_output", "bool", "输出为空", "empty output"),
    F("observed.truncated", "bool", "输出被截断", "the answer is cut off"),
    F("observed.hangs_at_start", "bool", "启动时卡住", "hangs at start-up"),
    F("observed.hangs_under_load", "bool", "运行中卡死", "hangs under load"),
    F("observed.crashes_under_load", "bool", "运行中崩溃", "crashes under load"),
    F("observed.fits_on_paper", "bool", "理论上应放得下", "should fit by arithmetic"),
    F("observed.slow_load", "bool", "模型加载慢", "loading the model is slow"),
    F("observed.expectation_unclear", "bool", "在问速度是否正常", "asks whether this speed is normal"),
    F("observed.log_line", "str", "日志中的一行", "line of the log", many=True),
)
