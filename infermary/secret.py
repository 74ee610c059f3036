"""The site's secret key on a machine where nobody set one."""

import os
import secrets
from pathlib import Path


def read_or_make_secret(path: Path) -> str:
    """The key in `path`, made at the first call; readable by its owner only. Safe when two processes start at once."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()
