"""The tokens of the look-up's documents, kept in a file: segmenting 100,000 cases anew takes a minute, reading them a second.

What the file holds is taken over only for documents whose texts are the same; a file that is cut or of another release is
as none. No Django.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from kb.documents import Document

log = logging.getLogger(__name__)
# Another number wherever tokens are made otherwise than before: `kb.text.words`, `kb.search.pairs`, the glossary's words.
EDITION = 1


def digest(document: Document) -> str:
    """Of all that the tokens are made from."""
    texts = "\0".join(f"{passage.times}\1{passage.text}" for passage in document.passages)
    return hashlib.blake2b(f"{document.what}\0{document.name}\0{texts}".encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Tokens:
    """Token numbers by digest of the document, and the word of each number."""

    vocabulary: dict[str, int]
    by_digest: dict[str, np.ndarray]

    def of(self, document: Document) -> np.ndarray | None:
        return self.by_digest.get(digest(document))


def save(path: Path, documents: Iterable[Document], ids: list[np.ndarray], vocabulary: dict[str, int]) -> None:
    """Write the file whole or not at all; two processes that save at once leave the file of one of them.

    Words that no document has any more are left out: what somebody deleted is not kept here.
    """
    lengths = np.array([len(each) for each in ids], dtype=np.int64)
    used, numbers = np.unique(np.concatenate(ids) if ids else np.zeros(0, np.int32), return_inverse=True)
    words = np.array(list(vocabulary), dtype=object)[used]
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(
                file, edition=np.array(EDITION), lengths=lengths,
                ids=numbers.astype(np.int32),
                digests=np.array([digest(document) for document in documents], dtype="U32"),
                words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
            )  # fmt: skip
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: Path) -> Tokens | None:
    """What was saved, or None."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if int(file["edition"]) != EDITION:
                return None
            parts = np.split(file["ids"], np.cumsum(file["lengths"])[:-1])
            words = file["words"].tobytes().decode().split("\n")
            return Tokens(
                {word: n for n, word in enumerate(words)}, dict(zip(file["digests"].tolist(), parts, strict=True))
            )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, BadZipFile, EOFError) as error:
        log.warning("the tokens of the look-up are made anew: %s", error)
        return None
