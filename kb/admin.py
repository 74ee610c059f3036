"""Django's admin for what has no page of its own."""

from django.contrib import admin

from kb.models import AuditEvent, Case, Claim, Engine, Entry, EntryVersion, Host, MissedSearch, Run, Thread


@admin.register(Entry)
class EntryAdmin(admin.ModelAdmin):
    list_display = ["slug", "title_en", "title_zh", "kind", "frequency", "status", "updated_at"]
    list_filter = ["status", "kind", "frequency"]
    search_fields = ["slug", "title_en", "title_zh"]
    readonly_fields = ["slug", "kind", "frequency", "title_en", "title_zh", "body", "sha256", "updated_at"]


class ClaimInline(admin.TabularInline):
    model = Claim
    fields = ["key", "kind", "verdict", "statement_en", "statement_zh"]
    extra = 0


@admin.register(Thread)
class ThreadAdmin(admin.ModelAdmin):
    list_display = ["slug", "title_en", "title_zh"]
    inlines = [ClaimInline]


@admin.register(Claim)
class ClaimAdmin(admin.ModelAdmin):
    list_display = ["key", "kind", "verdict", "statement_en", "said_by"]
    list_filter = ["thread", "verdict", "kind"]
    search_fields = ["key", "statement_en", "statement_zh"]
    filter_horizontal = ["entries"]


class EngineInline(admin.TabularInline):
    model = Engine
    fields = ["address", "name", "version", "served_model", "seen_at"]
    readonly_fields = fields
    extra = 0


@admin.register(Host)
class HostAdmin(admin.ModelAdmin):
    list_display = ["name", "id", "last_seen", "worker_version", "revoked_at"]
    readonly_fields = ["id", "enrolled_at", "last_seen", "worker_version", "catalogue", "about"]
    inlines = [EngineInline]


class ReadOnlyAdmin(admin.ModelAdmin):
    """What happened is looked at, not edited."""

    def has_add_permission(self, request) -> bool:
        return False

    def has_change_permission(self, request, obj=None) -> bool:
        return False


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    list_display = ["token", "created_at", "owner", "language", "revision", "title"]


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["probe", "host", "state", "outcome", "seconds", "created_at", "requested_by"]
    list_filter = ["state", "outcome", "probe", "host"]


@admin.register(MissedSearch)
class MissedSearchAdmin(ReadOnlyAdmin):
    """Each is a line to add to kb/glossary.tsv, a phrase to add to an entry, or a cause to write; then delete it here."""

    list_display = ["words", "language", "count", "last_seen"]
    list_filter = ["language"]
    search_fields = ["words"]


@admin.register(EntryVersion)
class EntryVersionAdmin(ReadOnlyAdmin):
    list_display = ["entry", "at", "author", "reason"]


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "action", "subject"]
    list_filter = ["action"]

    def has_delete_permission(self, request, obj=None) -> bool:
        return False
