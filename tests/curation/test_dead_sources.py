"""`check_entries --links` asks for every page that a source cites, here of a server on loopback."""

import io
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import CommandError, call_command

from kb.entry_file import dump
from kb.knowledge import shipped

STATUS = {"there": 200, "gone": 404, "angry": 503}


class Forge(BaseHTTPRequestHandler):
    """Answers as the owner of the repository is called; "moved" leads to "there"."""

    def do_GET(self):
        owner = self.path.split("/")[1]
        self.send_response(301 if owner == "moved" else STATUS[owner])
        if owner == "moved":
            self.send_header("Location", "/there/repo/issues/1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def forge():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def checked(tmp_path: Path, github: str, *refs: str) -> str:
    entry = shipped().entries[0]
    first = entry.sources[0]
    cited = [first.model_copy(update={"id": f"s{n}", "ref": ref}) for n, ref in enumerate(refs)]
    entry = entry.model_copy(update={
        "sources": [*cited, *(s.model_copy(update={"ref": "A title (2025)"}) for s in entry.sources)],
    })  # fmt: skip
    (tmp_path / f"{entry.slug}.yaml").write_text(dump(entry))
    out = io.StringIO()
    try:
        call_command("check_entries", tmp_path, "--links", "--notes", f"--github={github}", stdout=out)
    except CommandError as error:
        out.write(str(error))
    return out.getvalue()


def test_a_page_that_is_gone_is_a_fault(tmp_path, forge):
    said = checked(tmp_path, forge, "there/repo#1", "gone/repo#2 and moved/repo#3")
    assert "2 pages are there, 1 gone, 0 not reached" in said
    assert "FAULT" in said
    assert "gone/repo/issues/2: gone (404)" in said


def test_a_page_that_could_not_be_reached_is_not_called_there(tmp_path, forge):
    said = checked(tmp_path, forge, "there/repo#1", "angry/repo#2")
    assert "1 pages are there, 0 gone, 1 not reached" in said
    assert "angry/repo/issues/2: unreached (503)" in said
    (line,) = [line for line in said.splitlines() if "angry" in line]
    assert line.startswith("note")


def test_without_a_network_nothing_was_checked(tmp_path):
    assert "no page could be reached" in checked(tmp_path, "http://127.0.0.1:1", "there/repo#1")
