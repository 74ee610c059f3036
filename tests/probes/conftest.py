from tests.engine.fixtures import mid_model, tiny_model, vllm  # noqa: F401
