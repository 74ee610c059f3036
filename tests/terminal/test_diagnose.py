import io
import json

import pytest

from infermary import cli

SLOW = "7B 模型生成很慢，GPU 利用率只有 40%\nvllm serve Qwen/Qwen2.5-7B-Instruct --enforce-eager"


@pytest.fixture
def infermary(capsys, monkeypatch):
    """Runs the command in this process: (exit code, standard output, standard error)."""

    def run(*args, stdin=b""):
        stream = io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr("sys.stdin", stream)
        code = cli.main([str(arg) for arg in args])
        return code, *capsys.readouterr()

    return run


def lines(out):
    return [json.loads(line) for line in out.splitlines()]


def test_a_pasted_text_is_judged_in_words(infermary, tmp_path):
    file = tmp_path / "paste.txt"
    file.write_text(SLOW, "utf-8")
    code, out, _ = infermary("diagnose", file, "--lang", "zh")
    assert code == 0
    assert out.startswith("结论：")
    assert "[eager-mode]" in out
    assert "$ vllm serve MODEL" in out


def test_without_a_file_it_reads_standard_input(infermary):
    code, out, _ = infermary("diagnose", "--lang", "en", stdin=SLOW.encode())
    assert code == 0
    assert out.startswith("Verdict: ")


def test_the_json_of_a_text_has_the_name_of_its_file_and_sums_to_one(infermary, tmp_path):
    file = tmp_path / "paste.txt"
    file.write_text(SLOW, "utf-8")
    code, out, _ = infermary("diagnose", file, "--json")
    (answer,) = lines(out)
    assert code == 0
    assert answer["id"] == "paste.txt"
    shares = [cause["probability"] for cause in answer["causes"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) + answer["none"] == pytest.approx(1)
    assert set(answer) == {"id", "facts", "causes", "none", "fixes", "normal", "verdict", "findings", "next_steps"}


def test_json_lines_are_judged_one_by_one_and_a_bad_one_does_not_stop_the_rest(infermary):
    cases = b'{"id": "a", "symptom": "slow"}\n{oops\n\n{"id": "b"}\n{"id": "c", "symptom": "CUDA out of memory"}\n'
    code, out, _ = infermary("diagnose", "-", "--json", "--lang", "en", stdin=cases)
    answers = lines(out)
    assert code == 0
    assert [answer["id"] for answer in answers] == ["a", "line 2", "b", "c"]
    assert ["error" in answer for answer in answers] == [False, True, True, False]


def test_a_bad_first_line_does_not_turn_the_rest_into_prose(infermary):
    code, out, _ = infermary("diagnose", "-", "--json", stdin=b'{"id": "a", "sympt\n{"id": "b", "symptom": "slow"}\n')
    assert code == 0
    assert [answer["id"] for answer in lines(out)] == ["line 1", "b"]


@pytest.mark.parametrize("line", ["{oops", "oops", "[1]", "{}"])
def test_a_single_bad_line_is_an_error_and_no_prose(infermary, tmp_path, line):
    file = tmp_path / "cases.jsonl"
    file.write_text(line + "\n", "utf-8")
    for args, stdin in ((["-"], line.encode()), ([file], b"")):
        code, out, _ = infermary("diagnose", *args, "--json", "--lang", "en", stdin=stdin)
        (answer,) = lines(out)
        assert code == 2
        assert set(answer) == {"id", "error"}
        assert answer["id"] == "line 1"


def test_a_line_without_an_id_is_named_by_its_number(infermary):
    code, out, _ = infermary("diagnose", "--json", stdin=b'{"symptom": "slow"}\n\n{"id": null, "symptom": "slow"}\n')
    assert code == 0
    assert [answer["id"] for answer in lines(out)] == ["line 1", "line 3"]


def test_normal_is_an_object_where_nothing_is_known_about_speed(infermary):
    _, out, _ = infermary("diagnose", "--json", stdin=b'{"id": "a", "symptom": "help"}')
    assert lines(out)[0]["normal"] == {}


def test_each_line_is_answered_before_the_next_is_given():
    import subprocess
    import sys

    command = [sys.executable, "-m", "infermary.cli", "diagnose", "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for id in ("a", "b"):
            process.stdin.write(json.dumps({"id": id, "symptom": "slow"}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == id
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_the_version_is_said(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("infermary 0.")


def test_half_a_character_in_a_line_does_no_harm(infermary):
    code, out, _ = infermary("diagnose", "-", "--json", stdin=b'{"id": "\\ud800", "symptom": "\\ud800 slow"}\n')
    assert code == 0
    assert lines(out)[0]["id"] == "?"


def test_lines_of_which_none_can_be_judged_give_exit_code_two(infermary):
    code, out, _ = infermary("diagnose", "-", "--json", stdin=b'{"id": "a"}\n{"id": "b", "symptom": 3}\n')
    assert code == 2
    assert all("error" in answer for answer in lines(out))


def test_a_secret_is_not_repeated(infermary):
    secret = "hf_" + "a1B2" * 9
    code, out, _ = infermary(
        "diagnose", "--json", stdin=json.dumps({"log": f"HF_TOKEN={secret} vllm serve x, gated repo 401"}).encode()
    )
    assert code == 0
    assert secret not in out


def test_the_answer_is_the_same_every_time(infermary):
    case = json.dumps({"id": "a", "symptom": SLOW}).encode()
    first = infermary("diagnose", "--json", stdin=case)
    assert "error" not in lines(first[1])[0]
    assert infermary("diagnose", "--json", stdin=case) == first


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_chinese_file_in_any_usual_encoding_is_read(infermary, tmp_path, encoding):
    file = tmp_path / "paste.txt"
    file.write_bytes(SLOW.encode(encoding))
    code, out, _ = infermary("diagnose", file, "--lang", "zh")
    assert code == 0
    assert "[eager-mode]" in out


@pytest.mark.parametrize(("data", "reason"), [(b"\x7fELF\x00\x01\x02\x00" * 40, "binary file"), (b"  \n", "is empty")])
def test_what_is_no_text_is_refused_with_a_reason(infermary, tmp_path, data, reason):
    file = tmp_path / "given"
    file.write_bytes(data)
    code, out, err = infermary("diagnose", file, "--lang", "en")
    assert (code, out) == (2, "")
    assert reason in err


def test_an_input_that_cannot_be_read_does_not_stop_the_others(infermary, tmp_path):
    file = tmp_path / "paste.txt"
    file.write_text(SLOW, "utf-8")
    code, out, err = infermary("diagnose", tmp_path / "nowhere.txt", file, "--lang", "en")
    assert code == 0
    assert "nowhere.txt" in err
    assert "[eager-mode]" in out


def test_a_missing_file_is_named_in_the_users_language(infermary, tmp_path):
    code, _, err = infermary("diagnose", tmp_path / "nowhere.txt", "--lang", "zh")
    assert code == 2
    assert "读不了" in err
    assert "nowhere.txt" in err


def test_a_huge_binary_file_is_refused(infermary, tmp_path):
    file = tmp_path / "dump.log"
    with file.open("wb") as stream:
        stream.truncate(40 << 20)
    code, _, err = infermary("diagnose", file, "--lang", "en")
    assert code == 2
    assert "binary file" in err


def test_a_stray_byte_does_not_stop_a_log(infermary):
    code, out, _ = infermary("diagnose", "--lang", "en", stdin=b"CUDA out of memory \xff\xfe\xba\n" * 3)
    assert code == 0
    assert out.startswith("Verdict")


def test_the_help_names_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        cli.main(["diagnose", "--help"])
    assert "exit codes" in capsys.readouterr().out


def test_the_command_needs_no_site():
    import subprocess
    import sys

    code = "import sys, infermary.cli as c; c.main(['diagnose', '--json', sys.argv[1]]); assert not any(m.split('.')[0] in ('django', 'celery') for m in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, __file__], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
