"""Failed allocations: what was asked, where the memory is, and at which step."""

import pytest

from kb.facts import extract
from kb.judgement import Submission

NEW = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {tried}. GPU 0 has a total capacity of 23.65 GiB of which "
    "{free} is free. Including non-PyTorch memory, this process has 22.10 GiB memory in use. Of the allocated memory 20.00 GiB "
    "is allocated by PyTorch, and {unused} is reserved by PyTorch but unallocated."
)
OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate {tried} (GPU 0; 10.76 GiB total capacity; {allocated} already "
    "allocated; {free} free; {reserved} reserved in total by PyTorch)"
)


def facts(log: str):
    return extract(Submission(log=log))


def test_the_sizes_are_read_in_gib():
    known = facts(NEW.format(tried="512.00 MiB", free="101.25 MiB", unused="40.00 MiB"))
    assert known.value("engine.oom_tried_gib") == pytest.approx(0.5)
    assert known.value("engine.oom_free_gib") == pytest.approx(101.25 / 1024)
    assert known.value("gpu.memory_total_gib") == pytest.approx(23.65)


@pytest.mark.parametrize(
    "message",
    [
        NEW.format(tried="512.00 MiB", free="3.00 MiB", unused="1.90 GiB"),
        OLD.format(tried="512.00 MiB", allocated="7.00 GiB", free="3.00 MiB", reserved="9.00 GiB"),
    ],
)
def test_memory_that_pytorch_holds_unused_and_would_have_been_enough_is_in_pieces(message):
    assert facts(message).value("engine.oom_fragmented") is True


@pytest.mark.parametrize(
    "message",
    [
        NEW.format(tried="512.00 MiB", free="3.00 MiB", unused="200.00 MiB"),
        OLD.format(tried="512.00 MiB", allocated="8.90 GiB", free="3.00 MiB", reserved="9.00 GiB"),
    ],
)
def test_memory_that_would_not_have_been_enough_in_one_piece_is_not_in_pieces(message):
    assert facts(message).value("engine.oom_fragmented") is False


def test_a_message_without_these_numbers_says_nothing_of_them():
    known = facts("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB")
    assert known.best("engine.oom_fragmented") is None
    assert known.best("engine.oom_with_memory_left") is None


def test_as_much_was_free_as_was_asked():
    assert (
        facts(NEW.format(tried="20.00 MiB", free="2.35 GiB", unused="1 MiB")).value("engine.oom_with_memory_left")
        is True
    )


@pytest.mark.parametrize(
    ("lines", "step"),
    [
        (["INFO Starting to load model /m ..."], "weights"),
        (["INFO Starting to load model /m ...", '  File "gpu_worker.py", line 9, in profile_run'], "profile"),
        (["INFO Starting to load model", "INFO Capturing CUDA graph shapes: 12%"], "graphs"),
        (["INFO Capturing CUDA graph shapes: 100%", "INFO: Application startup complete."], "serving"),
        (["Load weight begin. avail mem=23.1 GB", "Capture cuda graph begin. This can take some minutes."], "graphs"),
    ],
)
def test_the_last_step_before_the_failure_is_where_it_happened(lines, step):
    log = "\n".join([*lines, NEW.format(tried="1.00 GiB", free="3.00 MiB", unused="1 MiB")])
    assert facts(log).value("engine.oom_step") == step


def test_what_comes_after_the_failure_is_no_step_of_it():
    log = NEW.format(tried="1.00 GiB", free="3.00 MiB", unused="1 MiB") + "\nINFO Capturing CUDA graph shapes: 0%"
    assert facts(log).best("engine.oom_step") is None


def test_llama_cpp_says_it_in_its_own_words():
    log = "llama_model_load: loading tensors\nggml_backend_cuda_buffer_type_alloc_buffer: allocating 8849.72 MiB on device 0: cudaMalloc failed: out of memory"
    known = facts(log)
    assert known.value("engine.oom_tried_gib") == pytest.approx(8849.72 / 1024)
    assert known.value("engine.oom_step") == "weights"


@pytest.mark.parametrize(
    ("said", "mixed"),
    [
        ("I have an RTX 3090 24GB and a 3070 8GB in one box", True),
        ("RTX 4090 + RTX 3060", True),
        ("一台机器 3090 加一张 2080 Ti", True),
        ("a 4090 is faster than my 3090", None),
        ("the same on A100 and H100", None),
    ],
)
def test_cards_of_different_models_in_one_machine(said, mixed):
    assert extract(Submission(said)).value("gpu.mixed") is mixed


@pytest.mark.parametrize(
    "said",
    [
        "Why does vLLM use 20 GB of VRAM for a 0.5B model?",
        "why is the GPU memory full right after start",
        "模型才 1B，为什么占用了 20G 显存？",
        "vLLM 一启动就占满整个显存",
    ],
)
def test_a_question_about_memory_in_use(said):
    assert extract(Submission(said)).value("observed.memory_asked") is True


def test_an_out_of_memory_is_no_question():
    assert extract(Submission("it runs out of memory on 24 GB")).value("observed.memory_asked") is None
