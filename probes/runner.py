"""Runs one probe and always returns a `Result`: whatever goes wrong becomes an outcome with its reason."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from probes.catalog import probes
from probes.spec import Cancelled, Context, NoData, Outcome, Probe, Reading, Refused, Result

RAW_LIMIT = 64 * 1024
"""Bytes of `Reading.raw` as JSON; a larger one is a fault of the probe."""

log = logging.getLogger(__name__)


def run(name: str, params: dict[str, Any], context: Context) -> Result:
    """Run the probe `name` of the catalogue. Never raises, except for KeyboardInterrupt and the like."""
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.monotonic()
    probe = probes().get(name)
    if probe is None:
        result = without_data(name, "refused", f"这台主机没有探针 {name}。", f"This host has no probe {name}.")
    else:
        result = _guarded(probe, params, context)
    dated = [fact.moved(at=started_at) for fact in result.facts]
    return replace(result, facts=dated, started_at=started_at, seconds=round(time.monotonic() - clock, 3))


def without_data(name: str, outcome: Outcome, zh: str, en: str) -> Result:
    """A result that holds a reason only."""
    return Result(name, outcome, zh, en)


def _guarded(probe: Probe, params: dict[str, Any], context: Context) -> Result:
    try:
        checked = probe.parameters.model_validate(params)
    except ValidationError as error:
        said = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())[:500]
        return without_data(probe.name, "refused", f"参数不合法：{said}", f"The parameters are not valid: {said}")
    try:
        return _checked(probe, probe.measure(checked, context))
    except NoData as reason:
        return without_data(probe.name, "no_data", reason.zh, reason.en)
    except Refused as reason:
        return without_data(probe.name, "refused", reason.zh, reason.en)
    except Cancelled:
        return without_data(probe.name, "cancelled", "已取消。", "Cancelled.")
    except Exception as error:
        # The one place that catches all: a broken probe must not take the others with it.
        log.exception("probe %s failed", probe.name)
        said = f"{type(error).__name__}: {error}"[:500]
        return without_data(
            probe.name, "failed", f"探针出错：{said}。请把这条信息报告给维护者。",
            f"The probe failed: {said}. Please report this to the maintainers.",
        )  # fmt: skip


def _checked(probe: Probe, reading: Reading) -> Result:
    undeclared = {fact.name for fact in reading.facts} - set(probe.yields)
    if undeclared:
        raise ValueError(f"states {', '.join(sorted(undeclared))}, which it does not declare")
    size = len(json.dumps(reading.raw))
    if size > RAW_LIMIT:
        raise ValueError(f"its raw reading takes {size} bytes, more than {RAW_LIMIT}")
    outcome: Outcome = "ok" if reading.facts else "no_data" if reading.missing else "fine"
    zh, en = reading.missing[0] if outcome == "no_data" else ("", "")
    return Result(probe.name, outcome, zh, en, reading.facts, reading.raw, reading.series, reading.missing)
