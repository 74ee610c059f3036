"""Learn `kb.likeness` from what the team knows, once for each state of it, and keep it in a file. No Django."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from kb import facts as reading
from kb.entry_file import EntryFile
from kb.judgement import Submission
from kb.likeness import Example, Likeness, learn
from kb.reports import ConfirmedReport
from kb.retrieval import passages

log = logging.getLogger(__name__)
KB = Path(__file__).parent
# What turns a text into terms: a change in any of them makes what was learned before unfit.
_READ_BY = ("facts/**/*.py", "signatures/**/*", "text.py", "likeness.py", "learning.py", "glossary.tsv", "fillers.tsv")
# The newest is in use, the one before it may still be read.
KEPT = 3
# Of two causes there is nothing to rank.
LEAST_CAUSES = 3


def learned(entries: Sequence[EntryFile], reports: Sequence[ConfirmedReport], folder: Path) -> Likeness | None:
    """What was learned from these, out of the folder's file or learned now. None: there is too little to learn from."""
    digest = digest_of(entries, reports)
    if (found := load(folder / f"{digest}.npz")) is not None:
        return found
    slugs = tuple(entry.slug for entry in entries)
    examples = [*_of_entries(entries), *_of_reports(reports, slugs)]
    if len({cause for example in examples for cause in example.causes}) < LEAST_CAUSES:
        return None
    log.info("learning from %d texts what reports of each cause are like", len(examples))
    likeness = learn(examples, slugs, digest)
    try:
        save(folder / f"{digest}.npz", likeness)
    except OSError as error:
        log.warning("what was learned cannot be kept and is learned again next time: %s", error)
    return likeness


def cache_folder() -> Path:
    """Where one account of a machine keeps what was learned: the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "infermary" / "likeness"


def newest(folder: Path) -> tuple[Path, float] | None:
    """The file learned last, with when."""
    try:
        found = [(path.stat().st_mtime, path) for path in folder.glob("*.npz")]
    except OSError:
        return None
    return (max(found)[1], max(found)[0]) if found else None


def digest_of(entries: Sequence[EntryFile], reports: Sequence[ConfirmedReport]) -> str:
    """Of all that is learned from, and of the code that reads it."""
    state = hashlib.blake2b(_code().encode(), digest_size=16)
    for entry in entries:
        state.update("\0".join((entry.slug, *passages(entry))).encode())
    for report in reports:
        state.update("\0".join((*report.causes, report.text)).encode())
    return state.hexdigest()


@cache
def _code() -> str:
    files = sorted(path for pattern in _READ_BY for path in KB.glob(pattern) if path.is_file())
    return hashlib.blake2b(b"\0".join(path.read_bytes() for path in files if path.suffix != ".pyc")).hexdigest()


def _of_entries(entries: Sequence[EntryFile]) -> Iterator[Example]:
    for number, entry in enumerate(entries):
        for passage in passages(entry):
            yield Example(passage, reading.extract(Submission(passage)), (number,))


def _of_reports(reports: Iterable[ConfirmedReport], slugs: Sequence[str]) -> Iterator[Example]:
    place = {slug: number for number, slug in enumerate(slugs)}
    for report in reports:
        if causes := tuple(place[slug] for slug in report.causes if slug in place):
            yield Example(report.text, reading.extract(report.submission), causes)


def save(path: Path, likeness: Likeness) -> None:
    """Write the file whole or not at all, and take away those that came before the last ones.

    Raises:
        OSError: the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(
                file, slugs=np.array(likeness.slugs), terms=_joined(likeness.vocabulary), rarity=likeness.rarity,
                weights=likeness.weights.astype(np.float16), bias=likeness.bias, digest=np.array(likeness.digest),
            )  # fmt: skip
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    for old in sorted(path.parent.glob("*.npz"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)


def _joined(terms: Iterable[str]) -> np.ndarray:
    return np.frombuffer("\n".join(terms).encode(), dtype=np.uint8)


def load(path: Path) -> Likeness | None:
    """What was saved; None where there is no such file, or it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            terms = file["terms"].tobytes().decode().split("\n")
            return Likeness(
                tuple(file["slugs"].tolist()), {term: row for row, term in enumerate(terms)}, file["rarity"],
                file["weights"].astype(np.float32), file["bias"], str(file["digest"]),
            )  # fmt: skip
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, BadZipFile, EOFError) as error:
        log.warning("%s is damaged, and learned anew: %s", path.name, error)
        return None
