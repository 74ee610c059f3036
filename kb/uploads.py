"""Files that a person attaches: text in whatever encoding it was saved in."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.files.uploadedfile import UploadedFile

MAX_BYTES = 8 * 2**20


class Refused(ValueError):
    """Files that are not taken: what is wrong (`too-large`, `not-text`) and the HTTP status that says so."""

    def __init__(self, problem: str, status: int) -> None:
        super().__init__(problem)
        self.problem, self.status = problem, status


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or the encodings of a Chinese Windows.

    Raises:
        Refused: it holds bytes that no text has.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if b"\x00" in data[:4096]:
        raise Refused("not-text", 400)
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def read(files: Sequence[UploadedFile]) -> str:
    """All files below one another.

    Raises:
        Refused: larger than MAX_BYTES together, or no text.
    """
    if sum(file.size or 0 for file in files) > MAX_BYTES:
        raise Refused("too-large", 413)
    return "\n".join(decoded(file.read()) for file in files)
