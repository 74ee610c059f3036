import pytest

from kb.facts.redact import redact

TOKEN = "hf_" + "abcdefgh" * 4
KEY = "sk-" + "abcdef12" * 4


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"export HF_TOKEN={TOKEN}", TOKEN),
        (f"api_key: {KEY}", KEY),
        ("--api-key s3cr3t-value", "s3cr3t-value"),
        ("OPENAI_API_KEY='abc12345'", "abc12345"),
        ("Authorization: Bearer abcdef.ghijkl-mnopqr", "abcdef.ghijkl-mnopqr"),
        ("postgres://bob:hunter22@db/x", "hunter22"),
        ("密码：hunter22", "hunter22"),
        ("password=hunter22", "hunter22"),
        ("密码是 hunter22", "hunter22"),
        ("the password is hunter22", "hunter22"),
        ("手机 13812345678", "13812345678"),
        ("write to ann.lee@example.org", "ann.lee@example.org"),
        ("from 8.8.4.4 port 1", "8.8.4.4"),
        ("from 2001:4860:4860::8888", "2001:4860:4860::8888"),
        ("/home/annlee/models/x", "annlee"),
        ("C:\\Users\\annlee\\models", "annlee"),
    ],
)
def test_secrets_and_personal_data_are_replaced_by_a_visible_mark(text, secret):
    redacted, count = redact(text)
    assert secret not in redacted
    assert "‹redacted:" in redacted
    assert count >= 1


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:8000 and 192.168.1.7 and 10.0.0.3 and ::1",
        "max_tokens: 5123, num_tokens=9600, eos_token: </s>",
        "INFO 12-01 01:26:48 [api_utils.py:339]",
        "cudnn 8.9.2.26, driver 550.54.15, vllm==0.8.5.post1",
        "-e HF_TOKEN=$HF_TOKEN",
        "--max-num-seqs 16 on RTX 4090",
        "telemetry: 13812345678 bytes, the password is wrong",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact(text) == (text, 0)


def test_redacting_twice_changes_nothing():
    once, _ = redact(f"HF_TOKEN={TOKEN} password=hunter22 /home/annlee/x")
    assert redact(once) == (once, 0)
