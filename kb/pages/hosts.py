"""The enrolled machines."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from kb import access
from kb.models import Host


def hosts(request: HttpRequest) -> HttpResponse:
    access.require(request, "kb.view_host")
    return render(request, "kb/hosts.html", {"hosts": Host.objects.active().prefetch_related("engines")})


urlpatterns = [path("hosts/", hosts, name="hosts")]
