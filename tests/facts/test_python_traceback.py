"""Which exception of a long log is the one that matters."""

from tests.facts.reading import one, stated

PLAIN = """\
Traceback (most recent call last):
  File "/srv/app/run.py", line 12, in <module>
    model = load(path)
            ^^^^^^^^^^
  File "/srv/app/load.py", line 80, in load
    raise ValueError(message)
ValueError: the checkpoint has 40 layers, the config says 32
"""
CHAINED = (
    PLAIN
    + """
The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/run.py", line 20, in <module>
    start()
RuntimeError: Engine core initialization failed. See root cause above.
"""
)
PREFIX = "(EngineCore_DP0 pid=71) ERROR 11-20 10:00:00 [core.py:700] "


def test_the_exception_below_the_frames():
    assert stated(PLAIN, "observed.log_line") == ["ValueError: the checkpoint has 40 layers, the config says 32"]


def test_of_chained_exceptions_the_cause_counts():
    assert stated(CHAINED, "observed.log_line") == ["ValueError: the checkpoint has 40 layers, the config says 32"]


def test_an_echo_from_another_process_stands_behind_the_cause():
    echo = 'Traceback (most recent call last):\n  File "/x/a.py", line 1, in b\nvllm.v1.engine.exceptions.EngineDeadError: EngineCore died\n'
    assert stated(echo + PLAIN, "observed.log_line") == ["ValueError: the checkpoint has 40 layers, the config says 32"]
    assert stated(echo, "observed.log_line") == []


def test_what_a_logger_writes_before_each_line_is_read_over():
    text = "".join(PREFIX + line + "\n" for line in PLAIN.splitlines())
    fact = one(text, "observed.log_line")
    assert fact.value == "ValueError: the checkpoint has 40 layers, the config says 32"
    assert fact.provenance.quote == fact.value


def test_a_traceback_that_is_cut_off_states_nothing():
    assert stated(PLAIN[: PLAIN.index("ValueError: ")], "observed.log_line") == []
