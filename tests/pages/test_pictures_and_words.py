"""Charts, marked texts, Markdown, search and probe forms: the pure parts under the pages."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb import charts
from kb.present.facts import marked, question
from kb.present.probe_form import WrongValue, fields, parameters
from kb.templatetags.infermary import flags, markdown, percent
from probes.facts import Fact, Provenance
from probes.vocabulary import fact_type
from tests.pages.samples import documents


def fact(start, end):
    return Fact("gpu.name", "L4", Provenance("text", "symptom", start, end))


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), max_size=6))
def test_the_pieces_of_a_marked_text_are_the_text(text, ranges):
    pieces = marked(text, [fact(start, end) for start, end in ranges], "symptom")
    assert "".join(piece.text for piece in pieces) == text


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.floats()), max_size=50))
def test_any_curve_is_a_sound_picture_or_none(points):
    svg = charts.line_chart(sorted(points), "<b>&", "ms", "en")
    assert bool(svg) == any(max(abs(x), abs(y)) < charts.LARGEST for x, y in points if y == y)
    if svg:
        ET.fromstring(svg)
        assert "nan" not in svg and "inf" not in svg.replace("info", "")


def test_a_long_curve_keeps_its_spike():
    points = [(float(i), 1.0) for i in range(10_000)]
    points[7777] = (7777.0, 99.0)
    kept = charts.thinned(points)
    assert len(kept) <= 401
    assert (7777.0, 99.0) in kept


@given(st.floats(1e-3, 1e6), st.floats(1e-3, 1e6), st.floats(1e-3, 1e6), st.floats(1e-3, 1e6))
def test_the_roofline_stays_inside_its_frame(measured, low, high, ceiling):
    words = dict.fromkeys(("title", "measured", "expected", "ceiling"), "<x>")
    root = ET.fromstring(charts.roofline(measured, (min(low, high), max(low, high)), ceiling, words))
    for tag in root.iter():
        for name in ("x", "x1", "cx"):
            assert 0 <= float(tag.get(name, 0)) <= 640


def test_markdown_loses_what_could_act():
    html = markdown("a [link](javascript:alert(1)) <script>alert(2)</script> <img src=x onerror=y> --enforce-eager")
    assert "script" not in html and "<img" not in html
    assert '<code class="nowrap">--enforce-eager</code>' in html


def test_flags_are_set_in_code_and_markup_is_escaped():
    assert flags("drop --enforce-eager <b>") == 'drop <code class="nowrap">--enforce-eager</code> &lt;b&gt;'


@pytest.mark.parametrize(("share", "text"), [(0.0, "0%"), (0.004, "<1%"), (0.5, "50%"), (0.996, ">99%"), (1.0, "100%")])
def test_a_share_is_never_rounded_to_certainty(share, text):
    assert percent(share) == text


def test_a_probe_form_reads_what_the_schema_allows():
    document = documents()[2]
    assert [field.name for field in fields(document)] == ["tokens", "greedy", "style"]
    said = parameters(
        document, {"p-tokens": "64", "p-greedy": "false", "p-style": "chat", "p-engine": "http://elsewhere"}
    )
    assert said == {"tokens": 64, "greedy": False, "style": "chat"}


@pytest.mark.parametrize("data", [{"p-tokens": "8"}, {"p-tokens": "x"}, {"p-tokens": "1e9"}, {"p-style": "poem"}])
def test_a_probe_form_refuses_the_rest(data):
    with pytest.raises(WrongValue):
        parameters(documents()[2], data)


def test_a_question_is_words_or_a_command_to_copy_or_both():
    assert question(fact_type("gpu.name"), "zh").command == "nvidia-smi"
    launch = question(fact_type("engine.enforce_eager"), "zh")
    assert launch.command == "ps -ef | grep -i vllm" and launch.words == "贴出完整启动命令"
    assert question(fact_type("load.concurrency"), "en").command == ""
