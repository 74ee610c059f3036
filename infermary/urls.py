"""Every page of `kb/pages/` brings its own paths."""

import importlib
import pkgutil

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import path

from kb import pages

handler400 = "kb.pages.errors.bad_request"
handler403 = "kb.pages.errors.forbidden"
handler404 = "kb.pages.errors.not_found"
handler429 = "kb.pages.errors.too_many"  # django-allauth looks for it here
handler500 = "kb.pages.errors.server_error"

# One door for all: the administration has no sign-in of its own.
admin.site.login = secure_admin_login(admin.site.login)
urlpatterns = [path("admin/", admin.site.urls)]
for info in pkgutil.iter_modules(pages.__path__):
    urlpatterns += getattr(importlib.import_module(f"kb.pages.{info.name}"), "urlpatterns", [])
