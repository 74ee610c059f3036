"""Who may make an account, and what goes along when somebody signs in."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.contrib.auth.password_validation import MinimumLengthValidator
from django.http import HttpRequest

from kb.language import language
from kb.models import Case


def sends_mail() -> bool:
    """Whether this site can send mail: EMAIL_URL is set."""
    return settings.EMAIL_BACKEND != "django.core.mail.backends.dummy.EmailBackend"


def context(request: HttpRequest) -> dict[str, bool]:
    """What every page may ask about accounts."""
    return {"may_sign_up": settings.SIGN_UP, "sends_mail": sends_mail(), "public_reading": settings.PUBLIC_READING}


class LongEnough(MinimumLengthValidator):
    """Django's rule, in both of our languages."""

    def get_error_message(self) -> str:
        few = f"密码太短，至少要有 {self.min_length} 个字符。"
        return few if language() == "zh" else f"The password is too short: at least {self.min_length} characters."

    def get_help_text(self) -> str:
        return f"至少 {self.min_length} 个字符。" if language() == "zh" else f"At least {self.min_length} characters."


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGN_UP

    def login(self, request: HttpRequest, user: Any) -> None:
        """The cases that this browser submitted without an account belong to the account from now on."""
        browser = None if request.user.is_authenticated else request.session.session_key
        super().login(request, user)
        if browser:
            Case.objects.filter(owner=None, session_key=browser).update(owner=user)


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Whoever the provider of the team lets in has an account here."""
        return True
