"""Facts about the model and its checkpoint."""

from probes.vocabulary.declare import FactType as F

QUANTS = (
    "fp32", "fp16", "bf16", "fp8", "int8", "int4",
    "gptq-int4", "gptq-int8", "awq-int4", "bnb-int8", "bnb-nf4", "gguf-q2", "gguf-q3", "gguf-q4", "gguf-q5", "gguf-q6",
    "gguf-q8", "exl2", "w8a8-int8", "nvfp4", "mxfp4",
)

FACTS = (
    F("model.name", "str", "模型", "model"),
    F("model.params_b", "float", "参数量", "parameters", "B"),
    F("model.active_params_b", "float", "激活参数量（MoE）", "active parameters (MoE)", "B"),
    F("model.is_moe", "bool", "混合专家模型", "mixture of experts"),
    F("model.is_multimodal", "bool", "多模态模型", "takes images, audio or video"),
    F("model.is_reasoning", "bool", "会输出思考过程", "writes its reasoning first"),
    F("model.quant", "str", "量化格式", "weight format", choices=QUANTS),
    F("model.checkpoint_dtype", "str", "检查点数据类型", "dtype of the checkpoint", choices=("float32", "float16", "bfloat16", "float8")),
    F("model.quant_method", "str", "检查点量化方法", "quantisation method of the checkpoint"),
    F("model.quant_bits", "float", "量化位数", "bits a quantised weight", "bit"),
    F("model.group_size", "int", "量化组大小", "quantisation group size"),
    F("model.desc_act", "bool", "act-order（desc_act）", "act-order (desc_act)"),
    F("model.max_position", "int", "模型最大位置数", "positions in config.json", "tokens"),
    F("model.lora", "bool", "使用 LoRA 适配器", "a LoRA adapter is used"),
    F("model.lora_merged", "bool", "LoRA 已合并", "the adapter is merged"),
    F("model.lora_rank", "int", "LoRA 秩", "adapter rank"),
    F("model.file_gib", "float", "权重文件大小", "size of the weight files", "GiB"),
    F("model.layers", "int", "层数", "layers"),
    F("model.hidden", "int", "隐藏维度", "hidden size"),
    F("model.intermediate", "int", "MLP 中间维度", "intermediate size of the MLP"),
    F("model.kv_heads", "int", "KV 头数", "KV heads"),
    F("model.head_dim", "int", "头维度", "head size"),
    F("model.vocab", "int", "词表大小", "vocabulary"),
)
