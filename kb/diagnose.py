"""The one orchestrator: case -> facts -> rank -> plan -> runs -> rank.

Pages, API and tasks call these functions and nothing below them; `kb.assessment` does the judging.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from kb import dispatch, library
from kb import recording as recordings
from kb.assessment import assess, redacted
from kb.facts import extract
from kb.findings import rests_on_measurement
from kb.judgement import Assessment, ProbeInfo, Submission
from kb.knowledge import Knowledge
from kb.models import AuditEvent, Case, Host, Run, Suspect
from kb.recording import Recording
from probes.facts import Fact
from probes.spec import Result
from probes.vocabulary import fact_type

# What one press of the button runs; what the host's catalogue lacks is left out. The worker looks two at a time
# beside the one that puts load on the engine, so the first two see the card and the engine under that load.
CHECKS = ("gpu.state", "engine.metrics", "decode.single_stream", "engine.discover", "host.inventory")


# As many first causes of a case are counted an entry.
SUSPECTS = 3


class NotAllowed(Exception):
    """The person, or the host's state, does not permit it; the message says why, as (zh, en)."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(en)
        self.zh, self.en = zh, en


def submit(submission: Submission, language: str, user: Any = None, session_key: str = "") -> Case:
    """Keep a submission, its secrets redacted, and rank its causes for the first time."""
    clean, redactions = redacted(Submission(*(_storable(text) for text in submission.parts().values())))
    owner = user if getattr(user, "is_authenticated", False) else None
    case = Case.objects.create(
        language=language, owner=owner, session_key=session_key or "", redactions=redactions,
        text=clean.text, command=clean.command, log=clean.log, nvidia_smi=clean.nvidia_smi,
        facts=[fact.to_json() for fact in extract(clean)],
    )  # fmt: skip
    _remember(case, "as submitted", "按提交的内容")
    return case


def open_recording(recording: Recording, language: str, user: Any = None, session_key: str = "") -> Case:
    """A case about a host whose measurements were carried here as a file."""
    owner = user if getattr(user, "is_authenticated", False) else None
    case = Case.objects.create(
        language=language, owner=owner, session_key=session_key or "", recording=recording.document
    )
    _remember(case, "as recorded", "按记录的测量")
    return case


def add_text(case: Case, text: str) -> None:
    """Put a later paste below what the case holds, its secrets redacted, and rank again."""
    clean, redactions = redacted(Submission(log=_storable(text)))
    case.log = "\n".join(filter(None, (case.log, clean.log)))
    case.redactions += redactions
    case.facts = [fact.to_json() for fact in extract(case.submission)]
    case.save(update_fields=["log", "redactions", "facts", "updated_at"])
    rerank(case, "more pasted", "补充了内容")


def _storable(text: str) -> str:
    """PostgreSQL cannot store NUL or a lone surrogate, and no tool prints either on purpose."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def known_facts(case: Case) -> list[Fact]:
    """What the text says, what the person corrected, what the runs measured of the engine that the case is about."""
    found = engines_found(case)
    about = case.engine or (found[0] if len(found) == 1 else "")
    others = {f"engine:{address}" for address in found if address != about}
    measured = [fact for result in recorded(case) for fact in result.facts]
    measured += [fact for run in case.runs.filter(state=Run.State.DONE) for fact in run.measured]
    ours = [fact for fact in measured if fact.subject not in others and fact.name not in case.corrections]
    return case.stated() + ours


def recorded(case: Case) -> tuple[Result, ...]:
    """What probes measured elsewhere and a file brought here."""
    return recordings.of(case.recording).results if case.recording else ()


def engines_found(case: Case) -> list[str]:
    """Addresses of the engines that the newest discovery of the case saw, in their order."""
    discovery = case.runs.filter(probe="engine.discover", state=Run.State.DONE).last()
    subjects = (fact.subject for fact in (discovery.measured if discovery else []))
    return list(dict.fromkeys(s.removeprefix("engine:") for s in subjects if s.startswith("engine:")))


def assessment(case: Case, host: Host | None = None) -> Assessment:
    """The answer as it stands; cheap when nothing changed since the last call."""
    infos = probe_infos(host or usual_host(case))
    return _assess(case.token, case.revision, library.knowledge(), infos)


@lru_cache(maxsize=64)
def _assess(token: str, revision: int, knowledge: Knowledge, infos: tuple[ProbeInfo, ...]) -> Assessment:
    case = Case.objects.get(token=token)
    return assess(case.submission, knowledge, facts=known_facts(case), probe_infos=infos)


def correct_fact(case: Case, name: str, value: Any) -> None:
    """The person's word stands above the text. `value` None removes the fact.

    Raises:
        probes.vocabulary.UnknownFactError, ValueError: no such fact, or a value of another type.
    """
    declared = fact_type(name)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        raise ValueError(f"{name} is a number from 0 on, not {value}")
    case.corrections = case.corrections | {name: None if value is None else declared.coerce(value)}
    case.save(update_fields=["corrections", "updated_at"])
    verb_en, verb_zh = ("removed", "移除") if value is None else ("corrected", "更正")
    rerank(case, f"{declared.en} {verb_en}", f"{verb_zh}：{declared.zh}")


def restore_fact(case: Case, name: str) -> None:
    """Take a correction or removal back."""
    if case.corrections.pop(name, "absent") != "absent":
        case.save(update_fields=["corrections", "updated_at"])
        rerank(case, f"{fact_type(name).en} as stated", f"恢复：{fact_type(name).zh}")


def rerank(case: Case, because_en: str, because_zh: str) -> None:
    Case.objects.filter(pk=case.pk).update(revision=F("revision") + 1, updated_at=timezone.now())
    case.refresh_from_db()
    _remember(case, because_en, because_zh)


def _remember(case: Case, because_en: str, because_zh: str) -> None:
    found = assessment(case)
    case.rankings.create(because_en=because_en[:200], because_zh=because_zh[:200], result=found.to_json())
    case.suspects.all().delete()
    Suspect.objects.bulk_create(
        Suspect(case=case, slug=cause.slug, place=place, measured=rests_on_measurement(cause))
        for place, cause in enumerate(found.suspects[:SUSPECTS], 1)
    )


def usual_host(case: Case) -> Host | None:
    """The host of the case's runs, else the one that is online."""
    run = case.runs.select_related("host").last()
    return run.host if run else next((host for host in Host.objects.active() if host.online), None)


def probe_infos(host: Host | None) -> tuple[ProbeInfo, ...]:
    """What the host's catalogue offers, for the plan."""
    return tuple(
        ProbeInfo(doc["name"], doc["zh"], doc["en"], tuple(doc["yields"]), doc["seconds"], doc["mode"])
        for doc in (host.catalogue if host else [])
    )


def start_checks(case: Case, host: Host, user: Any, engine: str = "") -> list[Run]:
    """Start the usual checks on a host. `engine` is one of the host's addresses; "" lets each probe find it.

    Raises:
        NotAllowed: no right, or the host is gone.
    """
    if engine and engine != case.engine:
        Case.objects.filter(pk=case.pk).update(engine=engine)
        case.engine = engine
    offered = [host.probe_document(name) for name in CHECKS]
    return [start_probe(host, doc["name"], {}, user, case=case, engine=case.engine) for doc in offered if doc]


def start_probe(
    host: Host, probe: str, parameters: dict, user: Any, *, case: Case | None = None, engine: str = ""
) -> Run:
    """Put one run on the host's queue.

    Raises:
        NotAllowed: no right, host revoked or offline, or a probe that its worker does not offer.
    """
    document = _permitted(host, probe, user)
    if engine and "engine" in document["parameters"].get("properties", {}):
        parameters = parameters | {"engine": engine}
    with transaction.atomic():
        run = Run.objects.create(
            case=case, host=host, probe=probe, parameters=parameters, requested_by=user,
            expires_at=Run.deadline(document["limit_s"]),
        )  # fmt: skip
        AuditEvent.record(user, "run.requested", str(run.pk), probe=probe, host=host.pk, parameters=parameters)
        transaction.on_commit(lambda: dispatch.send_run(run))
    return run


def _permitted(host: Host, probe: str, user: Any) -> dict:
    document = host.probe_document(probe)
    if host.revoked_at:
        raise NotAllowed("这台主机已被撤销。", "This host has been revoked.")
    if document is None:
        raise NotAllowed(f"这台主机的 worker 不提供探针 {probe}。", f"The worker of this host offers no probe {probe}.")
    right = "kb.run_disruptive" if document["mode"] == "disruptive" else "kb.run_probe"
    if not user.has_perm(right):
        raise NotAllowed(
            "你没有运行探针的权限；请联系管理员。", "You may not run probes; ask an administrator for the right."
        )
    if not host.online:
        raise NotAllowed(
            "这台主机的 worker 目前没有响应；请先启动它。", "The worker of this host does not answer; start it first."
        )
    return document


def cancel(run: Run, user: Any) -> bool:
    """Stop a run that has not ended; False if it had.

    Raises:
        NotAllowed: no right.
    """
    if not (user.has_perm("kb.run_probe") or (user.is_authenticated and run.requested_by_id == user.pk)):
        raise NotAllowed("你没有取消它的权限。", "You may not cancel it.")
    ended = Run.objects.end(
        run.pk,
        Run.State.CANCELLED,
        outcome="cancelled",
        reason_en="Cancelled on the page.",
        reason_zh="在页面上被取消。",
    )
    if ended:
        AuditEvent.record(user, "run.cancelled", str(run.pk))
        dispatch.send_cancel(run)
    return ended


def record_progress(run_id: str, share: float, zh: str, en: str) -> None:
    now = timezone.now()
    Run.objects.open().filter(pk=run_id, started_at=None).update(started_at=now)
    Run.objects.open().filter(pk=run_id).update(
        state=Run.State.RUNNING, progress=min(max(share, 0.0), 1.0), step_zh=zh[:200], step_en=en[:200]
    )


def record_result(run_id: str, result: Result) -> bool:
    """Store a result once; a second copy, or one for a run that had ended, changes nothing."""
    data = result.to_json()
    stored = Run.objects.end(
        run_id, Run.State.DONE, outcome=result.outcome, reason_zh=result.reason_zh, reason_en=result.reason_en,
        facts=data["facts"], raw=data["raw"], series=data["series"], missing=data["missing"],
        seconds=result.seconds, progress=1.0,
    )  # fmt: skip
    run = Run.objects.select_related("case").filter(pk=run_id).first()
    if stored and run:
        _note_engines(run)
        if run.case:
            rerank(run.case, f"measured by {run.probe}", f"{run.probe} 的测量")
    return stored


def _note_engines(run: Run) -> None:
    """What a discovery saw becomes the host's engines; what it no longer sees goes."""
    if run.probe != "engine.discover" or run.outcome not in ("ok", "fine", "no_data"):
        return
    by_address: dict[str, dict[str, Any]] = {}
    for fact in run.measured:
        if fact.subject.startswith("engine:"):
            by_address.setdefault(fact.subject.removeprefix("engine:"), {})[fact.name] = fact.value
    run.host.engines.exclude(address__in=by_address).delete()
    for address, seen in by_address.items():
        run.host.engines.update_or_create(
            address=address,
            defaults={
                "name": seen.get("engine.name", "other"), "version": seen.get("engine.version", ""),
                "served_model": seen.get("engine.served_model", ""), "seen_at": timezone.now(),
                "facts": [f.to_json() for f in run.measured if f.subject == f"engine:{address}"],
            },
        )  # fmt: skip


def end_lost_runs() -> int:
    """End every run whose time is over, with the reason; the number of runs ended."""
    ended = 0
    for run in Run.objects.overdue().select_related("case", "host"):
        seen = f"{run.host.last_seen:%Y-%m-%d %H:%M:%S} UTC" if run.host.last_seen else ""
        ended += Run.objects.end(
            run.pk, Run.State.LOST, outcome="no_data",
            reason_en=f"No answer from the worker in time (last seen: {seen or 'never'}). Check that it runs, then try again.",
            reason_zh=f"worker 未在时限内回答（最后一次出现：{seen or '从未'}）。请确认它在运行，然后重试。",
        )  # fmt: skip
    return ended
