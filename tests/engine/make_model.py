"""Makes a small language model of random weights with a tokenizer of its own, offline: make_model.py OUT [SIZE] [LORA_RANK]

Runs with the interpreter of the vLLM environment (torch, transformers, tokenizers, safetensors). Speed means
something on such a model, its output does not. The same arguments give the same files.
"""

from __future__ import annotations

import json
import sys
import sysconfig
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

# hidden, layers, heads, KV heads, MLP. The head size is 32 or more: the CPU attention of vLLM refuses 16.
SIZES = {"tiny": (64, 2, 2, 1, 128), "mid": (1024, 16, 16, 4, 4096)}
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
VOCABULARY = 1024
POSITIONS = 4096


def make(out: Path, size: str, lora_rank: int = 0) -> None:
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(out)
    model = make_weights(size, tokenizer)
    model.save_pretrained(out)
    if lora_rank:
        save_adapter(model, out, lora_rank)


def make_tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level BPE trained on modules that every Python has."""
    library = Path(sysconfig.get_paths()["stdlib"])
    texts = [
        (library / f"{name}.py").read_text("utf-8") for name in ("argparse", "ast", "inspect", "typing", "datetime")
    ]
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False, initial_alphabet=alphabet
        ),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=POSITIONS
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def make_weights(size: str, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    hidden, layers, heads, kv_heads, mlp = SIZES[size]
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=kv_heads, intermediate_size=mlp, max_position_embeddings=POSITIONS,
        bos_token_id=None, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False, dtype=torch.bfloat16,
    )  # fmt: skip
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    return LlamaForCausalLM(config)


def save_adapter(model: LlamaForCausalLM, out: Path, rank: int) -> None:
    """A LoRA adapter over the attention projections in `OUT-lora`, in the layout of PEFT."""
    folder = out.with_name(f"{out.name}-lora")
    folder.mkdir(exist_ok=True)
    targets = ["q_proj", "k_proj", "v_proj", "o_proj"]
    weights = {}
    for name, module in model.named_modules():
        if name.rsplit(".", 1)[-1] in targets:
            weights[f"base_model.model.{name}.lora_A.weight"] = torch.randn(rank, module.in_features) * 0.02
            weights[f"base_model.model.{name}.lora_B.weight"] = torch.randn(module.out_features, rank) * 0.02
    save_file(weights, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    described = {
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": str(out), "r": rank,
        "lora_alpha": 2 * rank, "lora_dropout": 0.0, "bias": "none", "target_modules": targets,
    }  # fmt: skip
    (folder / "adapter_config.json").write_text(json.dumps(described, indent=2))


if __name__ == "__main__":
    make(Path(sys.argv[1]), *sys.argv[2:3], *[int(rank) for rank in sys.argv[3:4]])
