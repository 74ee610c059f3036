"""A real worker process, reached through files and through a real Redis."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from celery import Celery

from probes import envelope
from probes.broker import RESULTS, broker_settings, queue_of
from tests.probes.mock_engine import Shape, mock_engine
from tests.services.servers import redis

HOST = "0f1e2d3c"
SOON_S = 40


class Site:
    """The site's side of the broker, and the worker of one host."""

    def __init__(self, folder, url: str, **configuration) -> None:
        self.folder, self.key = folder, envelope.new_key()
        host_key = envelope.load_or_make_key(folder / "host.pem")
        self.host_public = envelope.public_key(host_key)
        self.app = Celery("site-of-the-test")
        self.app.conf.update(broker_settings(url, folder / "broker"))
        content = {
            "host": HOST, "broker": url, "broker_folder": str(folder / "broker"), "key": str(folder / "host.pem"),
            "site_public_key": envelope.public_key(self.key), "spool": str(folder / "spool"), "engines": [],
        }  # fmt: skip
        (folder / "worker.json").write_text(json.dumps(content | configuration))
        self.process: subprocess.Popen | None = None
        self.log = folder / "log"

    def start(self) -> None:
        argv = [sys.executable, "-m", "probes.worker", "--config", str(self.folder / "worker.json")]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(argv, stderr=log, stdout=log)

    def stop(self, sign: int = signal.SIGTERM) -> int:
        self.process.send_signal(sign)
        code = self.process.wait(30)
        self.process = None
        return code

    def request(self, run: str, probe: str, params: dict, expires_s: float = 60, **changes) -> str:
        token = envelope.sign_request(
            changes.get("key", self.key), changes.get("host", HOST), run, probe, params, expires_s
        )
        self.send("probes.run", token)
        return token

    def notice(self, kind: str, run: str) -> None:
        task = "probes.cancel" if kind == "cancel" else "probes.acknowledge"
        self.send(task, envelope.sign_notice(self.key, HOST, kind, run))

    def send(self, task: str, token: str) -> None:
        self.app.send_task(task, args=[token], queue=queue_of(HOST))

    def reports(self, seconds: float = SOON_S):
        """The worker's reports as they come in."""
        deadline = time.monotonic() + seconds
        with self.app.connection_for_read() as connection:
            waiting = connection.SimpleQueue(RESULTS)
            while time.monotonic() < deadline:
                with suppress(queue.Empty):
                    message = waiting.get(timeout=0.5)
                    message.ack()
                    (token,), _, _ = message.payload
                    yield envelope.verify_report(token, self.host_public, HOST)

    def first(self, kind: str, run: str = "", seconds: float = SOON_S):
        return next((report for report in self.reports(seconds) if (report.kind, report.run) == (kind, run)), None)

    def waiting(self) -> list[str]:
        return sorted(path.stem for path in (self.folder / "spool" / "results").glob("*.json"))


@pytest.fixture(params=["files", "redis"])
def broker_url(request, tmp_path):
    if request.param == "files":
        yield ""
    else:
        (tmp_path / "redis").mkdir()
        with redis(tmp_path / "redis") as url:
            yield url


@pytest.fixture
def site_on(tmp_path):
    """Makes sites whose worker ends with the test."""
    made = []

    def make(url: str = "", **configuration) -> Site:
        made.append(Site(tmp_path, url, **configuration))
        return made[-1]

    yield make
    for site in made:
        if site.process:
            site.stop(signal.SIGKILL)


def eventually(condition, seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_a_request_sent_before_the_worker_started_is_measured_reported_and_forgotten(site_on, broker_url):
    site = site_on(broker_url)
    site.request("run1", "host.inventory", {"seconds": 0.5})
    site.start()
    result = site.first("result", "run1")
    assert result.body["outcome"] == "ok"
    assert "host.cpu_cores" in [fact["name"] for fact in result.body["facts"]]
    assert site.waiting() == ["run1"]
    site.notice("stored", "run1")
    assert eventually(lambda: site.waiting() == [])
    assert site.stop() == 0


def test_only_the_sites_own_fresh_requests_to_this_host_are_obeyed(site_on):
    site = site_on()
    site.request("forged", "host.inventory", {"seconds": 0.5}, key=envelope.new_key())
    site.request("foreign", "host.inventory", {"seconds": 0.5}, host="ffffffff")
    site.request("expired", "host.inventory", {"seconds": 0.5}, expires_s=-60)
    token = site.request("first", "host.inventory", {"seconds": 0.5})
    site.send("probes.run", token)
    site.send("probes.run", "no token at all")
    header, content, signature = token.split(".")
    site.send("probes.run", f"{header}.{content[:-6]}AAAAAA.{signature}")
    site.request("last", "host.inventory", {"seconds": 0.5})
    site.start()
    seen = []
    for report in site.reports():
        if report.kind == "result":
            seen.append(report.run)
        if "last" in seen and len(seen) >= 2:
            break
    assert sorted(seen) == ["first", "last"]
    assert site.first("result", "first", seconds=2) is None
    assert eventually(lambda: site.log.read_text().count("was refused") == 6)


def test_a_heartbeat_brings_the_catalogue(site_on):
    site = site_on()
    site.start()
    body = site.first("heartbeat").body
    assert {"engine.discover", "engine.metrics", "gpu.state"} <= {probe["name"] for probe in body["catalogue"]}
    assert body["about"]["gpus"] == [] or all(isinstance(name, str) for name in body["about"]["gpus"])


def test_a_run_reports_progress_and_is_cancelled(site_on):
    with mock_engine(scenario="idle", shape=Shape(gap=0.2)) as engine:
        site = site_on(engines=[engine.address])
        site.start()
        site.request("slow", "decode.single_stream", {"engine": engine.address, "tokens": 512})
        progress = site.first("progress", "slow")
        assert 0 <= progress.body["share"] <= 1
        assert progress.body["zh"]
        site.notice("cancel", "slow")
        assert site.first("result", "slow").body["outcome"] == "cancelled"


def test_an_engine_that_nobody_listed_is_refused(site_on):
    with mock_engine() as engine:
        site = site_on()
        site.start()
        site.request("run1", "engine.metrics", {"engine": engine.address, "seconds": 1})
        result = site.first("result", "run1").body
    assert result["outcome"] == "refused"
    assert result["reason_zh"]


def test_a_result_that_was_not_confirmed_is_sent_again_by_the_next_worker(site_on):
    site = site_on()
    site.start()
    site.request("run1", "host.inventory", {"seconds": 0.5})
    first = site.first("result", "run1").body
    site.stop()
    site.start()
    assert site.first("result", "run1").body == first


def test_a_run_that_a_crash_interrupted_is_reported_as_failed(site_on):
    site = site_on()
    site.start()
    site.request("run1", "host.inventory", {"seconds": 30})
    site.first("progress", "run1")
    site.stop(signal.SIGKILL)
    site.start()
    result = site.first("result", "run1").body
    assert result["outcome"] == "failed"
    assert "restarted" in result["reason_en"]


def test_the_worker_ends_cleanly_in_the_middle_of_a_run(site_on):
    site = site_on()
    site.start()
    site.request("run1", "host.inventory", {"seconds": 30})
    site.first("progress", "run1")
    assert site.stop(signal.SIGINT) == 0


@pytest.mark.parametrize("content", ["", "{}", '{"host": "../../etc"}'])
def test_a_wrong_configuration_ends_with_what_to_do(tmp_path, content):
    (tmp_path / "worker.json").write_text(content)
    argv = [sys.executable, "-m", "probes.worker", "--config", str(tmp_path / "worker.json")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "enrol the host again" in done.stderr
    assert "Traceback" not in done.stderr
