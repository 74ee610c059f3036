import json

import pytest

from infermary import cli
from probes import bundle
from probes.spec import Result

RESULT = {
    "probe": "gpu.state", "outcome": "ok", "raw": {}, "series": {}, "missing": [["没有 NVLink 数据", "no NVLink data"]],
    "facts": [
        {"name": "gpu.name", "value": "NVIDIA H200", "unit": "", "origin": "probe", "source": "gpu.state", "subject": "gpu:0"},
        {"name": "gpu.throttle_reason", "value": "hw_thermal", "unit": "", "origin": "probe", "source": "gpu.state", "subject": "gpu:0"},
    ],
}  # fmt: skip


def test_evaluate_counts_and_keeps_going(tmp_path, capsys):
    file = tmp_path / "cases.jsonl"
    file.write_text(
        json.dumps(
            {"id": "1", "lang": "en", "kind": "slow", "symptom": "slow since --enforce-eager", "cause": "eager-mode"}
        )
        + "\nnot json\n",
        "utf-8",
    )
    assert cli.main(["evaluate", str(file), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["cases"], data["all"]["top1"], len(data["errors"])) == (1, 1.0, 1)


def test_evaluate_prints_a_table(tmp_path, capsys):
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": "1", "symptom": "slow since --enforce-eager", "cause": "eager-mode"}), "utf-8")
    assert cli.main(["evaluate", str(file), "--lang", "en"]) == 0
    assert "top-3" in capsys.readouterr().out


def test_evaluate_of_nothing_fails(tmp_path, capsys):
    file = tmp_path / "cases.jsonl"
    file.write_text("not json\n", "utf-8")
    assert cli.main(["evaluate", str(file)]) == 2


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_evaluate_of_a_missing_file_prints_no_table(tmp_path, capsys, more):
    assert cli.main(["evaluate", str(tmp_path / "nowhere.jsonl"), *more]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "nowhere.jsonl" in said.err


def test_a_stored_bundle_is_judged_again(tmp_path, capsys):
    file = tmp_path / "bundle.json"
    bundle.save(file, [Result.from_json(RESULT)], "gpu-box")
    assert cli.main(["replay", str(file), "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "gpu.state: ok (2)" in out
    assert "no NVLink data" in out
    assert "[thermal-throttle]" in out.split("Try first")[0]


def test_a_replayed_bundle_as_json_says_what_ran(tmp_path, capsys):
    file = tmp_path / "bundle.json"
    bundle.save(file, [Result.from_json(RESULT)], "gpu-box")
    assert cli.main(["replay", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["runs"][0]["probe"] == "gpu.state"
    assert answer["causes"][0]["slug"] == "thermal-throttle"


def test_what_is_no_bundle_is_refused(tmp_path, capsys):
    file = tmp_path / "bundle.json"
    for text in (
        "{}",
        "[1]",
        "text",
        '{"format": "infermary-bundle", "version": 1, "results": [{"probe": "x"}]}',
        "[" * 99_999,
    ):
        file.write_text(text, "utf-8")
        assert cli.main(["replay", str(file), "--lang", "en"]) == 2
        assert "bundle.json" in capsys.readouterr().err
