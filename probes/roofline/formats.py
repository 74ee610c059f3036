"""Weight formats: how many bits a weight costs when it is read. Pure.

Sources: GPTQ and AWQ keep a 16-bit scale and a packed zero point a group (4 + 16/128 + 4/128 = 4.156 bit at group 128);
int8 a channel 8.004; NF4 a 32-bit scale for 64 weights; MXFP4 an 8-bit scale for 32; NVFP4 an 8-bit scale for 16. GGUF:
the bits a weight that llama.cpp's quantize tool lists for Llama-3.1-8B. They quantise the output layer too; vLLM's formats
leave it at 16 bit (seen on vLLM 0.24: 7.62 GB a token for an fp8 7B, not 7.07).
"""

from __future__ import annotations

from dataclasses import dataclass

HALF = 16.0
GROUPED = {"int4": 4, "gptq-int4": 4, "awq-int4": 4, "gptq-int8": 8}
BITS = {
    "fp32": 32.0, "fp16": HALF, "bf16": HALF, "fp8": 8.0, "int8": 8.004, "w8a8-int8": 8.004, "bnb-int8": 8.004,
    "bnb-nf4": 4.5, "nvfp4": 4.5, "mxfp4": 4.25, "exl2": 4.25,
    "gguf-q2": 3.16, "gguf-q3": 4.0, "gguf-q4": 4.89, "gguf-q5": 5.7, "gguf-q6": 6.56, "gguf-q8": 8.5,
}  # fmt: skip
HEAD_QUANTISED = {
    "exl2": 6.0,
    "gguf-q2": 5.0,
    "gguf-q3": 6.56,
    "gguf-q4": 6.56,
    "gguf-q5": 6.56,
    "gguf-q6": 6.56,
    "gguf-q8": 8.5,
}


@dataclass(frozen=True, slots=True)
class Format:
    """Bits a weight of the linear layers, of the output layer, and the class of kernel that reads them."""

    name: str
    bits: float
    head_bits: float

    @property
    def kernel(self) -> str:
        """`16`, `8` or `4`: weights of up to 6 bits are unpacked in the kernel, which costs time of its own."""
        return "16" if self.bits >= HALF else "8" if self.bits > 7 else "4"


def weight_format(quant: str, group_size: int | None = None, bits: float | None = None) -> Format:
    """The format of `model.quant`.

    Args:
        group_size: weights that share a scale; 128 where not stated, -1 for a scale a channel.
        bits: stated bits a weight, for formats whose name leaves them open (exl2).

    Raises:
        ValueError: an unknown format.
    """
    head = {"fp32": 32.0}.get(quant, HEAD_QUANTISED.get(quant, HALF))
    if quant in GROUPED:
        packed = GROUPED[quant]
        group = group_size if group_size and group_size > 0 else 4096 if group_size else 128
        return Format(quant, packed + (HALF + packed) / group, head)
    if quant == "exl2" and bits:
        return Format(quant, bits, head)
    if quant not in BITS:
        raise ValueError(f"unknown weight format {quant!r}")
    return Format(quant, BITS[quant], head)
