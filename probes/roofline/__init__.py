"""What a card, a model and a format allow: ceiling, realistic expectation, memory. Pure.

Figures of cards and models stand in `gpus.csv` and `models.csv`, each with source and confidence:
A two independent sources or measured, B one source that a formula confirms, C one source, D a guess.
"""

from probes.roofline.decode import Decode, Expectation, decode, judge_speed, prefill_s
from probes.roofline.fit import Fit, activation_gib, fit
from probes.roofline.formats import Format, weight_format
from probes.roofline.gpus import Gpu, gpu
from probes.roofline.models import ModelShape, model_shape

__all__ = [
    "Decode",
    "Expectation",
    "Fit",
    "Format",
    "Gpu",
    "ModelShape",
    "activation_gib",
    "decode",
    "fit",
    "gpu",
    "judge_speed",
    "model_shape",
    "prefill_s",
    "weight_format",
]
