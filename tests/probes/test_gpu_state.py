"""What the cards' counters mean; on measurements of a real H200 and on readings made up for the cases it did not have."""

from __future__ import annotations

from pathlib import Path

import pynvml
import pytest

import kb
from probes import bundle
from probes.catalog import gpu_state
from tests.probes.asking import every, measured, values

EXAMPLES = Path(kb.__file__).parent / "examples"


def h200(name: str) -> dict:
    results = bundle.load(EXAMPLES / f"h200-7b-{name}.json").results
    return values(next(result for result in bundle.judged_again(results) if result.probe == "gpu.state").facts)


def card(**changes) -> dict:
    samples = {"t": [0.2, 0.4], "util": [90, 90], "sm": [1000, 1000], "thr": [0, 0], "pcie_gen": [4, 4]} | changes.pop(
        "samples", {}
    )
    gpu = {"index": 0, "name": "X", "sm_max": 2000, "processes": None, "samples": samples} | changes
    return {"driver": "580", "cuda": "13.0", "engine_pids": [10], "pairs": [], "gpus": [gpu]}


def test_a_healthy_decode_keeps_memory_and_clocks_busy():
    facts = h200("healthy")  # the window holds the pauses between five requests
    assert facts["gpu.name"] == "NVIDIA H200"
    assert facts["gpu.utilization_pct"] > 80
    assert facts["gpu.memory_utilization_pct"] > 60
    assert facts["gpu.sm_clock_ratio"] == 1.0
    assert facts["gpu.pcie_rx_gbs"] < 0.1
    assert facts["gpu.throttled_share"] == 0


def test_eager_mode_leaves_the_card_waiting():
    assert h200("eager")["gpu.utilization_pct"] < 45


def test_offloaded_weights_stream_over_the_bus_while_the_memory_idles():
    facts = h200("offload")
    assert facts["gpu.pcie_rx_gbs"] > 50
    assert facts["gpu.memory_utilization_pct"] < 1
    assert facts["gpu.utilization_pct"] > 90


def test_an_idle_card_says_nothing_about_clocks_throttling_or_the_bus():
    raw = card(samples={"util": [0, 0], "sm": [210, 210], "pcie_gen": [1, 1], "thr": [1, 1]})
    facts = values(gpu_state.judge(raw))
    assert facts["gpu.utilization_pct"] == 0
    assert not {"gpu.sm_clock_ratio", "gpu.throttled_share", "gpu.pcie_gen", "gpu.pstate"} & set(facts)


def test_throttling_counts_while_the_card_works_and_settings_are_told_apart():
    facts = gpu_state.judge(card(samples={"thr": [0x40 | 0x8, 0x2]}))
    assert values(facts)["gpu.throttled_share"] == 0.5
    assert set(every(facts, "gpu.throttle_reason")) == {"hw_thermal", "hw_slowdown", "applications_clocks"}


def test_what_a_card_cannot_say_is_missing():
    facts = values(gpu_state.judge(card(samples={"thr": [None, None], "sm": [None, None]})))
    assert not {"gpu.throttled_share", "gpu.sm_clock_mhz", "gpu.ecc_uncorrected", "gpu.power_w"} & set(facts)


@pytest.mark.parametrize(
    ("processes", "engine", "foreign"),
    [
        ([[10, 20.0], [99, 3.5]], [10, 11], 1),
        ([[10, 20.0]], [10], 0),
        ([[99, 3.5]], [10], None),  # the engine is not among them: ids of another namespace, perhaps
        ([[99, 3.5]], [], None),
        (None, [10], None),
    ],
)
def test_foreign_processes_are_told_from_the_engines_or_not_stated(processes, engine, foreign):
    raw = card(processes=processes) | {"engine_pids": engine}
    assert values(gpu_state.judge(raw)).get("gpu.foreign_processes") == foreign


def test_the_worst_link_between_cards_counts():
    pairs = [{"gpus": [0, 1], "link": "nvlink", "p2p": True}, {"gpus": [0, 2], "link": "sys", "p2p": False}]
    facts = values(gpu_state.judge(card() | {"pairs": pairs}))
    assert (facts["gpu.link"], facts["gpu.p2p"], facts["gpu.nvlink"]) == ("sys", False, True)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (pynvml.NVML_ERROR_LIBRARY_NOT_FOUND, "no NVIDIA driver"),
        (pynvml.NVML_ERROR_DRIVER_NOT_LOADED, "not loaded"),
        (pynvml.NVML_ERROR_UNKNOWN, "not available"),
    ],
)
def test_without_a_usable_driver_there_is_no_data_but_a_reason(monkeypatch, error, said):
    def refuse():
        raise pynvml.NVMLError(error)

    monkeypatch.setattr(pynvml, "nvmlInit", refuse)
    result = measured("gpu.state")
    assert (result.outcome, result.facts) == ("no_data", [])
    assert said in result.reason_en
    assert result.reason_zh
