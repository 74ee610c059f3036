"""Facts about one running server: what it is, how it was started, what its log says."""

from probes.vocabulary.declare import FactType as F

ENGINES = (
    "vllm", "sglang", "tgi", "llama.cpp", "ollama", "lmdeploy", "exllamav2", "tabbyapi", "transformers", "tensorrt-llm",
    "xinference", "fastchat", "aphrodite", "ktransformers", "mlc", "lmstudio", "text-generation-webui", "triton", "other",
)
CMD_ZH, CMD_EN = "贴出完整启动命令：ps -ef | grep -i vllm", "paste the full launch command: ps -ef | grep -i vllm"
LOG_ZH, LOG_EN = "贴出启动日志的前 200 行", "paste the first 200 lines of the start-up log"

FACTS = (
    F("engine.name", "str", "推理引擎", "engine", choices=ENGINES, ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.version", "str", "引擎版本", "engine version", ask_zh="vllm --version", ask_en="vllm --version"),
    F("engine.running", "bool", "引擎正在运行", "an engine runs here"),
    F("engine.url", "str", "引擎地址", "address of the engine"),
    F("engine.model_path", "str", "模型路径", "model path"),
    F("engine.served_model", "str", "对外模型名", "served model name"),
    F("engine.device", "str", "运行设备", "runs on", choices=("gpu", "cpu")),
    # launch flags
    F("engine.program", "str", "命令启动的推理服务", "server that a command starts", many=True),
    F("engine.flag", "str", "启动参数", "launch flag", many=True, ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.env", "str", "环境变量", "environment variable", many=True),
    F("engine.tensor_parallel", "int", "张量并行数", "tensor parallel size", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.pipeline_parallel", "int", "流水线并行数", "pipeline parallel size", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.data_parallel", "int", "数据并行数", "data parallel size"),
    F("engine.enforce_eager", "bool", "关闭 CUDA graph（enforce-eager）", "CUDA graphs off (enforce-eager)", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.capture_max", "int", "捕获的最大 CUDA graph 批量", "largest captured CUDA-graph batch"),
    F("engine.gpu_memory_utilization", "float", "gpu-memory-utilization", "gpu-memory-utilization", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.max_model_len", "int", "max-model-len", "max-model-len", "tokens", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.max_num_seqs", "int", "max-num-seqs（并发序列上限）", "max-num-seqs (limit of concurrent sequences)", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.max_num_batched_tokens", "int", "max-num-batched-tokens", "max-num-batched-tokens", "tokens", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.chunked_prefill", "bool", "分块预填充", "chunked prefill"),
    F("engine.prefix_caching", "bool", "前缀缓存", "prefix caching", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.async_scheduling", "bool", "异步调度", "asynchronous scheduling"),
    F("engine.quantization_flag", "str", "quantization 参数", "quantization flag", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.dtype", "str", "计算数据类型", "compute dtype", choices=("float32", "float16", "bfloat16", "auto"), ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.kv_cache_dtype", "str", "KV cache 数据类型", "KV-cache dtype"),
    F("engine.cpu_offload_gib", "float", "放在主机内存的权重（cpu-offload-gb）", "weights kept in host memory (cpu-offload-gb)", "GiB", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.gpu_layers", "int", "放到 GPU 的层数（llama.cpp -ngl）", "layers on the GPU (llama.cpp -ngl)"),
    F("engine.device_map", "str", "device_map", "device_map"),
    F("engine.lora_enabled", "bool", "运行时 LoRA（enable-lora）", "LoRA at run time (enable-lora)", ask_zh=CMD_ZH, ask_en=CMD_EN),
    F("engine.max_lora_rank", "int", "max-lora-rank", "max-lora-rank"),
    F("engine.speculative", "bool", "投机解码", "speculative decoding"),
    F("engine.attention_backend", "str", "注意力后端", "attention backend", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.kv_blocks_override", "int", "num-gpu-blocks-override", "num-gpu-blocks-override", "blocks"),
    F("engine.kv_cache_memory_gib", "float", "kv-cache-memory-bytes", "kv-cache-memory-bytes", "GiB"),
    F("engine.custom_all_reduce", "bool", "自定义 all-reduce", "custom all-reduce"),
    F("engine.threads", "int", "引擎线程数", "engine threads", "threads"),
    F("engine.trust_remote_code", "bool", "trust-remote-code", "trust-remote-code"),
    F("engine.use_kv_cache", "bool", "模型使用 KV cache", "the model keeps a KV cache"),
    F("engine.unknown_flag", "str", "该版本没有的参数", "flag that this version lacks", many=True),
    # start-up log
    F("engine.weights_gib", "float", "日志中的权重大小", "weights by the log", "GiB", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.offloaded_gib", "float", "日志中卸载到主机内存的参数", "parameters offloaded by the log", "GiB", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.kernel", "str", "量化核函数", "quantised linear kernel", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.kv_cache_tokens", "int", "KV cache 容量", "KV-cache capacity", "tokens", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.max_concurrency", "float", "满长请求可并发数", "full-length requests that fit at once", "x", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.raw_prompts", "bool", "提示没有经过对话模板", "prompts are sent without the chat template"),
    F("engine.oom_tried_gib", "float", "分配失败时申请的显存", "memory that could not be had", "GiB", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.oom_free_gib", "float", "分配失败时卡上空闲的显存", "memory free on the card when it could not be had", "GiB"),
    F("engine.oom_with_memory_left", "bool", "空闲显存够，却分配失败", "memory could not be had although as much was free"),
    F("engine.oom_fragmented", "bool", "PyTorch 手里未用的显存够，却分配失败", "memory could not be had although PyTorch held as much unused"),
    F("engine.oom_step", "str", "显存不足时进行到的步骤", "step at which memory ran out", choices=("weights", "profile", "kv-cache", "graphs", "serving"), ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.graphs_captured", "bool", "已捕获 CUDA graph", "CUDA graphs were captured", ask_zh=LOG_ZH, ask_en=LOG_EN),
    F("engine.startup_s", "float", "启动用时", "start-up time", "s"),
    F("engine.load_weights_s", "float", "读权重用时", "time to load the weights", "s"),
    F("engine.compile_s", "float", "编译用时", "compile time", "s"),
    # the process, seen by a probe
    F("engine.cpu_cores_used", "float", "引擎进程占用的核数", "cores used by the engine process", "cores"),
    F("engine.run_delay_pct", "float", "引擎线程等待 CPU 的时间占比", "time engine threads waited for a CPU", "%"),
    F("engine.allowed_cpus", "int", "引擎可用的 CPU 数", "CPUs the engine may use", "cores"),
    F("engine.busiest_thread_pct", "float", "最忙线程的 CPU 占用", "CPU of the busiest engine thread", "%"),
)
