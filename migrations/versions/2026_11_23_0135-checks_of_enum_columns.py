"""check that columns of closed lists hold only their values"""

from collections.abc import Sequence

from alembic import op

revision: str = "d3a81f60b9e4"
down_revision: str | None = "5d1c7e9a40f2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_RUNTIMES = ("docker", "process")
_KINDS = ("rate", "users", "saturate", "steps", "count")
_RUN = ("queued", "running", "succeeded", "failed", "cancelled")
_TRIAL = (
    *("queued", "building", "starting", "verifying", "warming_up", "measuring", "collecting"),
    *("succeeded", "failed", "cancelled"),
)
_MISSED = (
    *("refused", "previous_unfinished", "tacho_down", "host_offline", "overdue", "run_failed"),
)

# Table, column, name of the constraint without its prefix, and the values.
_CHECKS = (
    ("run", "status", "runstatus", _RUN),
    ("run", "visibility", "visibility", ("private", "unlisted", "public")),
    ("run", "purpose", "purpose", ("comparison", "calibration", "confirmation")),
    ("run", "study_variant", "studyvariant", ("quick", "full")),
    ("trial", "status", "trialstatus", _TRIAL),
    ("trial", "runtime", "runtimekind", _RUNTIMES),
    ("host", "runtime", "runtimekind", _RUNTIMES),
    ("cell", "kind", "profilekind", _KINDS),
    ("cell_summary", "kind", "profilekind", _KINDS),
    ("cell_summary", "runtime", "runtimekind", _RUNTIMES),
    ("change", "kind", "profilekind", _KINDS),
    ("change", "runtime", "runtimekind", _RUNTIMES),
    (
        *("change", "status", "changestatus"),
        ("suspected", "testing", "confirmed", "dismissed", "host_drift"),
    ),
    ("sample", "phase", "phase", ("warm_up", "measure")),
    (
        *("scheduled_run", "status", "scheduledrunstatus"),
        ("waiting", "arrived", "late", "missed", "cancelled"),
    ),
    ("scheduled_run", "reason", "missreason", _MISSED),
    ("webhook_delivery", "status", "deliverystatus", ("pending", "delivered", "failed")),
)


def upgrade() -> None:
    for table, column, name, values in _CHECKS:
        listed = ", ".join(f"'{value}'" for value in values)
        op.create_check_constraint(name, table, f"{column} IN ({listed})")


def downgrade() -> None:
    for table, _, name, _ in _CHECKS:
        op.drop_constraint(op.f(f"ck_{table}_{name}"), table, type_="check")
