"""Settings of the suite: a folder of its own for everything that the site writes."""

import os
import tempfile

os.environ.setdefault("INFERMARY_VAR", tempfile.mkdtemp(prefix="infermary-tests-"))
os.environ["DJANGO_SETTINGS_MODULE"] = "infermary.settings"
