"""Pictures of every page, in both languages, light and dark, narrow and wide: `make shots` fills var/shots/."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from threading import Thread

os.environ["INFERMARY_VAR"] = tempfile.mkdtemp(prefix="infermary-shots-")
os.environ["LOCAL_OPERATOR"] = "1"
os.environ["DJANGO_SETTINGS_MODULE"] = "infermary.settings"

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from infermary.wsgi import application  # noqa: E402
from kb import diagnose, distilling, local_operator, outcomes  # noqa: E402
from kb.judgement import Submission  # noqa: E402
from kb.models import Case  # noqa: E402
from tests.pages import samples  # noqa: E402

OUT = Path("var/shots")
WIDTHS = {"narrow": 360, "middle": 820, "wide": 1440}
QUIET = type("Quiet", (WSGIRequestHandler,), {"log_message": lambda *args: None})


def pages() -> dict[str, str]:
    """Name -> path of every page worth a picture."""
    call_command("prepare", verbosity=0)
    made = samples.site()
    case: Case = made["case"]
    run = made["runs"][2]
    Case.objects.update(owner=None)
    me = User.objects.get(username=local_operator.NAME)
    digest = distilling.begin(samples.THREAD, "Two L4, 7B, three tokens a second", "example/forum#7", me)
    first, second, third = digest.lines.all()[:3]
    distilling.accept(first, me, 0)
    distilling.reject(second, me, 0)
    closed = diagnose.submit(Submission("7B on one 4090 with --enforce-eager: 20 tok/s"), "en")
    told = outcomes.Told(slug="eager-mode", fix="drop-flag", helped=True, before=20.0, after=61.0)
    outcomes.close(closed, told, me, is_own=True)
    return {
        "home": "/", "case": case.get_absolute_url(), "entries": "/entries/", "search": "/search/?q=掉卡 PCIe",
        "entry": "/entries/eager-mode/", "entry-slow": "/entries/cpu-offload/", "entry-failure": "/entries/nccl-p2p-iommu/",
        "entry-mistaken": "/entries/metrics-or-health-misread/", "claims": "/claims/", "claim": "/claims/S1-02/",
        "claim-edit": "/claims/S1-02/edit/", "closed": closed.get_absolute_url(), "flags": "/flags/", "review": "/review/",
        "distil": "/distil/", "digest": digest.get_absolute_url(), "digest-line": f"/distil/{digest.pk}/lines/{third.pk}/edit/",
        "draft": "/drafts/new/edit/", "hosts": "/hosts/", "host": f"/hosts/{made['host'].pk}/",
        "run": f"/runs/{run.pk}/", "help": "/help/", "sign-in": "/accounts/login/", "account": "/accounts/", "missing": "/nowhere/",
    }  # fmt: skip


def serve() -> str:
    server = ThreadedWSGIServer(("127.0.0.1", 0), QUIET)
    server.set_app(application)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def main(wanted: list[str]) -> None:
    """Take the pictures of the pages named, or of all."""
    paths = {name: path for name, path in pages().items() if not wanted or name in wanted}
    address = serve()
    OUT.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for language in ("en", "zh"):
            for theme in ("light", "dark"):
                context = browser.new_context()
                page = context.new_page()
                page.on("console", lambda message: print(message.type, message.text))  # noqa: T201
                page.goto(f"{address}/?lang={language}&theme={theme}")
                for width_name, width in WIDTHS.items():
                    page.set_viewport_size({"width": width, "height": 900})
                    for name, path in paths.items():
                        page.goto(address + path)
                        page.screenshot(path=OUT / f"{name}-{language}-{theme}-{width_name}.png", full_page=True)
                context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
