"""Logs that are too long to be read whole."""

import pytest

from infermary import cli, sources
from infermary.condense import END_BYTES, MIDDLE_BYTES, condense


def log(lines: int, line: str = "INFO 12-01 10:00:{:02d} engine.py: Running: {} reqs\n"):
    return (line.format(number % 60, number).encode() for number in range(lines))


def test_what_is_kept_is_bounded_however_long_the_log_is():
    kept = condense(log(1_000_000, "INFO {} " + "{}" + " x" * 40 + "\n"))
    assert len(kept) <= 2 * END_BYTES + MIDDLE_BYTES


def test_a_single_line_in_the_middle_is_kept_in_its_place():
    lines = [*log(300_000), b"ERROR the one that tells\n", *log(300_000)]
    kept = condense(lines)
    assert kept.count(b"ERROR the one that tells\n") == 1
    assert kept.startswith(lines[0])
    assert kept.endswith(lines[-1])


def test_lines_that_differ_in_digits_alone_are_kept_once_between_the_ends():
    kept = condense([*log(300_000), *(b"WARN slow %d ms\n" % n for n in range(1000)), *log(300_000)])
    assert kept.count(b"WARN slow") == 1


def test_a_short_log_is_kept_whole():
    assert condense(log(10)).rstrip(b"\n") == b"".join(log(10)).rstrip(b"\n")


def test_the_error_in_the_middle_of_a_long_file_is_found(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sources, "LIMIT", 1 << 20)
    file = tmp_path / "server.log"
    error = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity\n"
    file.write_bytes(b"".join([*log(300_000), error, *log(300_000)]))
    assert cli.main(["diagnose", str(file), "--lang", "en"]) == 0
    assert "out of memory" in capsys.readouterr().out


@pytest.mark.parametrize("begin", [b'{"id": 1}\n', "x".encode("utf-16")])
def test_json_lines_and_utf_16_are_not_cut(begin, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sources, "LIMIT", 1 << 10)
    file = tmp_path / "cases.jsonl"
    file.write_bytes(begin * 1000)
    assert cli.main(["diagnose", str(file), "--lang", "en"]) == 2
    assert "split it into several files" in capsys.readouterr().err
