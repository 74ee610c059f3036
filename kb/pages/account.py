"""Signing in and out, passwords, and a page that says who one is here. django-allauth brings the views, we the pages."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import views
from allauth.socialaccount import views as single_sign_on
from allauth.socialaccount.providers.openid_connect.views import callback, login
from django.contrib.auth.decorators import login_not_required, login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path, re_path
from requests import RequestException

from kb import local_operator

logger = logging.getLogger(__name__)


@login_required
def account(request: HttpRequest) -> HttpResponse:
    local = request.user.get_username() == local_operator.NAME
    return render(request, "account/account.html", {"local": local})


def _of_a_person(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The account of the local operator is everybody's at this machine: nobody makes it theirs."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.get_username() == local_operator.NAME:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


@login_not_required
def sign_in_elsewhere(request: HttpRequest, provider_id: str) -> HttpResponse:
    """To the sign-in service of the team; a page that says so where it does not answer.

    A form starts it, with its token, so that no foreign page can. The content security policy lets no form lead away
    from the site, not even by way of a redirect: hence the page in between.
    """
    connects = "connect" in (request.GET.get("process"), request.POST.get("process"))
    if connects and request.user.get_username() == local_operator.NAME:
        raise PermissionDenied
    try:
        answer = login(request, provider_id)
        if request.method == "POST" and isinstance(answer, HttpResponseRedirect):
            return render(request, "socialaccount/login_redirect.html", {"redirect_to": answer.url})
        return answer
    except RequestException:
        logger.exception("the OpenID provider does not answer")
        return render(request, "socialaccount/authentication_error.html", status=502)


urlpatterns = [
    path("accounts/", account, name="account"),
    path("accounts/login/", views.login, name="account_login"),
    path("accounts/logout/", views.logout, name="account_logout"),
    path("accounts/signup/", views.signup, name="account_signup"),
    path("accounts/inactive/", views.account_inactive, name="account_inactive"),
    path("accounts/password/change/", _of_a_person(views.password_change), name="account_change_password"),
    path("accounts/password/set/", _of_a_person(views.password_set), name="account_set_password"),
    path("accounts/password/reset/", views.password_reset, name="account_reset_password"),
    path("accounts/password/reset/sent/", views.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^accounts/password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/done/", views.password_reset_from_key_done, name="account_reset_password_from_key_done"
    ),
    path("accounts/sso/", _of_a_person(single_sign_on.connections), name="socialaccount_connections"),
    path("accounts/sso/signup/", single_sign_on.signup, name="socialaccount_signup"),
    path("accounts/sso/cancelled/", single_sign_on.login_cancelled, name="socialaccount_login_cancelled"),
    path("accounts/sso/error/", login_not_required(single_sign_on.login_error), name="socialaccount_login_error"),
    path("accounts/oidc/<slug:provider_id>/login/", sign_in_elsewhere, name="openid_connect_login"),
    path("accounts/oidc/<slug:provider_id>/callback/", callback, name="openid_connect_callback"),
]
