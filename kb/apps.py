from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "kb"
    verbose_name = "Infermary"

    def ready(self) -> None:
        from kb import checks  # noqa: F401  registers the system checks
