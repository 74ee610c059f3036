"""Settings, all by environment; without any, one machine works with SQLite and no Redis.

DATABASE_URL and REDIS_URL switch to PostgreSQL and Redis with no other change. See docs/settings.md.
"""

from pathlib import Path

import environ

from infermary.secret import read_or_make_secret
from infermary.single_sign_on import single_sign_on
from probes.broker import broker_settings

BASE = Path(__file__).resolve().parent.parent
env = environ.FileAwareEnv()

VAR = Path(env.str("INFERMARY_VAR", default=str(BASE / "var")))
VAR.mkdir(parents=True, exist_ok=True, mode=0o700)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or read_or_make_secret(VAR / "secret_key")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "kb.apps.KnowledgeConfig",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "kb.language.LanguageMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "kb.local_operator.LocalOperatorMiddleware",
    "kb.closed_reading.ClosedReadingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "infermary.urls"
WSGI_APPLICATION = "infermary.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "kb.accounts.context",
            ]
        },
    }
]

DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR / 'infermary.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # WAL lets the pages read while results are written; IMMEDIATE makes a writer wait for its turn at the
    # start of the transaction instead of failing in the middle of it.
    DATABASES["default"]["OPTIONS"] = {
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "kb.accounts.LongEnough"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Off, every page but the way in needs an account.
PUBLIC_READING = env.bool("PUBLIC_READING", default=True)
# Whether somebody may make an account alone.
SIGN_UP = env.bool("SIGN_UP", default=False)
ACCOUNT_ADAPTER = "kb.accounts.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "kb.accounts.SingleSignOnAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_USERNAME_BLACKLIST = ["local-operator"]  # kb/local_operator.py
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_SESSION_REMEMBER = True
# The local operator may sign in as somebody else.
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False
OIDC = {name: env.str(f"OIDC_{name}", default="") for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "NAME")}
SOCIALACCOUNT_PROVIDERS = single_sign_on(OIDC)
# On one machine, whoever reaches the loopback address is its operator; see THREAT_MODEL.md.
LOCAL_OPERATOR = env.bool("LOCAL_OPERATOR", default=False)

# Without EMAIL_URL no mail is sent, and no page pretends that one was.
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
if env.str("EMAIL_URL", default=""):
    vars().update(env.email_url("EMAIL_URL"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("EMAIL_FROM", default="infermary@localhost")

# Nobody publishes their own edit: another curator must.
TWO_PERSON_RULE = env.bool("TWO_PERSON_RULE", default=False)

# The form of an entry has a field for every key of every rule, fix and source.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000
# A paste of logs is megabytes long; more is refused with a page that says so.
MAX_PASTE_BYTES = 24 * 2**20
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_PASTE_BYTES + 2**20

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("HTTPS", default=False)
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
# Whose attempts to sign in are counted: the address that the one proxy in front saw.
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if BEHIND_PROXY else 0
CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": ["/admin/"],
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "font-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    },
}

REDIS_URL = env.str("REDIS_URL", default="")
LIKENESS = Path(env.str("INFERMARY_LIKENESS", default=str(VAR / "likeness")))
SEARCH_TOKENS = VAR / "search" / "tokens.npz"
BROKER = broker_settings(REDIS_URL, VAR / "broker")
SITE_KEY = VAR / "keys" / "site.pem"
HOST_SILENT_AFTER_S = 100  # three missed heartbeats of 30 s

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {"httpx": {"level": "WARNING"}},
}
