"""Fills the database of an installation as years of use do."""

import time

from backend.core.db import unit_of_work
from tools.benchmarks.many_runs.copies import clean_up, copy_runs, write_plan
from tools.benchmarks.many_runs.fleet import register_fleet
from tools.benchmarks.many_runs.people import add_audit_log, add_people
from tools.benchmarks.many_runs.size import Size
from tools.benchmarks.many_runs.templates import write_templates
from tools.benchmarks.many_runs.work import add_incidents, add_limits_and_webhooks, add_schedules
from tools.benchmarks.seed_scale import vacuum


def seed(size: Size) -> None:
    """Fill the database of the settings, which has its schema and catalogue."""
    print(f"Seeding {size.runs:,} runs …", flush=True)
    begin = time.monotonic()
    with unit_of_work() as session:
        hosts = register_fleet(session)
        workspaces, people = add_people(session)
    templates = write_templates(hosts, size)
    with unit_of_work() as session:
        count = write_plan(session, hosts, workspaces, people, templates, size)
    copy_runs(count, size)
    vacuum()
    with unit_of_work() as session:
        add_schedules(session, hosts, workspaces[0], templates)
    with unit_of_work() as session:
        add_incidents(session, size)
    with unit_of_work() as session:
        add_limits_and_webhooks(session, workspaces[0])
        add_audit_log(session, size.audit_events)
        clean_up(session)
    vacuum()
    print(f"Seeded in {time.monotonic() - begin:.0f} s.\n", flush=True)
