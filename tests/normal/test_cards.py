import pytest

from probes.roofline import gpu
from probes.roofline.gpus import gpus


@pytest.mark.parametrize(
    ("written", "card"),
    [
        ("NVIDIA GeForce RTX 3090", "RTX 3090"),
        ("NVIDIA GeForce RTX 3090 Ti", "RTX 3090 Ti"),
        ("RTX4090D", "RTX 4090 D"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090 Laptop"),
        ("NVIDIA H200", "H200 SXM"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("Tesla V100-SXM2-32GB", "V100 SXM2"),
        ("Tesla V100-SXM2-16GB", "V100 SXM2 16G"),
        ("Tesla V100-PCIE-32GB", "V100 PCIe 32G"),
        ("NVIDIA A100-SXM4-80GB", "A100 80G SXM"),
        ("NVIDIA A100-PCIE-40GB", "A100 40G"),
        ("NVIDIA A100 80GB PCIe", "A100 80G PCIe"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA L40S", "L40S"),
        ("NVIDIA RTX A6000", "RTX A6000"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"),
        ("Quadro RTX 6000", "Quadro RTX 6000"),
        ("2080Ti 22G", "RTX 2080 Ti 22G modified"),
        ("AMD Instinct MI300X", "MI300X"),
    ],
)
def test_a_card_is_found_by_the_name_that_tools_and_people_use(written, card):
    assert gpu(written).name == card


def test_memory_tells_cards_of_one_name_apart():
    assert gpu("NVIDIA GeForce RTX 4060 Ti", 8).name == "RTX 4060 Ti 8G"
    assert gpu("NVIDIA GeForce RTX 4060 Ti", 16).name == "RTX 4060 Ti 16G"
    assert gpu("RTX 3080", 12).bandwidth_gbs == 912


def test_a_name_of_several_cards_is_marked_until_memory_tells():
    assert gpu("A100").ambiguous
    assert not gpu("A100", 80).ambiguous
    assert not gpu("RTX 4090").ambiguous
    assert not gpu("H200").ambiguous


@pytest.mark.parametrize("written", ["GeForce GT 710", "", "no card", "A1000000"])
def test_an_unknown_card_is_none(written):
    assert gpu(written) is None


def test_every_card_has_source_and_confidence():
    assert all(card.source and card.confidence in "ABCD" for card in gpus())


def test_every_card_is_found_by_its_own_name():
    assert [card.name for card in gpus() if gpu(card.name.split(" (")[0], card.memory_gb) is None] == []


def test_a_measured_bandwidth_wins_but_does_not_lower_what_physics_allows():
    card = gpu("H200").with_measured(4120)
    assert card.ceiling_gbs == 4120
    assert card.peak_gbs == 4800
