"""Every page of `kb/pages/` brings its own paths."""

import importlib
import pkgutil

from django.contrib import admin
from django.urls import path

from kb import pages

handler400 = "kb.pages.errors.bad_request"
handler403 = "kb.pages.errors.forbidden"
handler404 = "kb.pages.errors.not_found"
handler500 = "kb.pages.errors.server_error"

urlpatterns = [path("admin/", admin.site.urls)]
for info in pkgutil.iter_modules(pages.__path__):
    urlpatterns += getattr(importlib.import_module(f"kb.pages.{info.name}"), "urlpatterns", [])
