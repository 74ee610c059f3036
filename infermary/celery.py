"""The site's Celery app: receives what the workers send, and looks after runs that nobody finishes."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "infermary.settings")

from django.conf import settings

app = Celery("infermary")
app.conf.update(
    settings.BROKER,
    task_default_queue="results",
    task_ignore_result=True,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    beat_schedule_filename=str(settings.VAR / "beat"),
    beat_schedule={
        "end-lost-runs": {"task": "kb.end_lost_runs", "schedule": 15.0, "options": {"expires": 15}},
        "learn": {"task": "kb.learn", "schedule": 300.0, "options": {"expires": 300}},
    },
)
app.autodiscover_tasks(["kb"])
