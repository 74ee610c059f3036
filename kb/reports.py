"""Confirmed reports: what people reported, and what it turned out to be. Pure.

One file a cause in `kb/confirmed/`, one JSON object a line, with the keys of a case of `infermary evaluate` and these:

    source        owner/repo#number, or a site and a title
    cause, also   slug of the cause that the thread confirms, and of further ones
    confirmed_by  reporter, maintainer, merged-fix or several-users
    root_cause, fix

Only what was said before anybody answered is shown to the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kb.evaluation import BadCase, read_case
from kb.judgement import Submission

FOLDER = Path(__file__).parent / "confirmed"


@dataclass(frozen=True, slots=True)
class ConfirmedReport:
    """Attributes:
    causes: slugs, the main one first.
    """

    id: str
    source: str
    lang: str
    submission: Submission
    causes: tuple[str, ...]
    root_cause: str = ""
    kind: str = ""

    @property
    def text(self) -> str:
        return "\n".join(filter(None, self.submission.parts().values()))


def read(line: str) -> ConfirmedReport:
    """One line of a file.

    Raises:
        BadCase: not a case, or without a cause.
    """
    id, submission, data = read_case(line)
    cause, also = data.get("cause"), data.get("also", [])
    if not isinstance(cause, str) or not isinstance(also, list) or not cause:
        raise BadCase("没有写明病因（cause、also）。", "It does not say the cause (cause, also).", id)
    source, lang, why, kind = (str(data.get(key, "")) for key in ("source", "lang", "root_cause", "kind"))
    return ConfirmedReport(id, source, lang or "en", submission, (cause, *also), why, kind)


def load_folder(folder: Path) -> tuple[ConfirmedReport, ...]:
    """All reports of a folder.

    Raises:
        ValueError: a line that is no report, or stands in the file of another cause; the message names it.
    """
    reports = []
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            try:
                report = read(line)
            except BadCase as error:
                raise ValueError(f"{path.name}:{number}: {error}") from error
            if report.causes[0] != path.stem:
                raise ValueError(f"{path.name}:{number}: holds a report of {report.causes[0]!r}")
            reports.append(report)
    return tuple(reports)


@cache
def shipped() -> tuple[ConfirmedReport, ...]:
    """The reports that come with the package."""
    return load_folder(FOLDER)
