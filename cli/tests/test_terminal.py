"""Texts of other people and of bench hosts cannot control the terminal of a command."""

from io import StringIO

from rich.console import Console

from backend.core.db import unit_of_work
from backend.core.models import Run
from backend.tests.factories import add_host, ask_run, succeed_next
from cli.client import ask, make_client
from cli.own import ConsoleDisplay
from cli.results import print_answer

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e[link=https://evil.example]x[/link]\r"


def test_titles_and_answers_are_printed_as_text(live_url: str) -> None:
    with unit_of_work() as session:
        host_id = add_host(session).id
        run = ask_run(session)
        succeed_next(session, host_id)
        session.get_one(Run, run.id).title = HOSTILE
        slug = run.slug

    with make_client(live_url, None) as client:
        found = ask(client, "GET", f"/api/v1/runs/{slug}")
        answer = ask(client, "GET", f"/api/v1/runs/{slug}/answer")
    console = Console(record=True, width=200)
    print_answer(console, {**answer, "headline": found["title"]})

    shown = r"\x1b]0;owned\x07\x1b[2J\u202e[link=https://evil.example]x[/link]\r"
    assert found["title"] == shown
    assert shown in console.export_text()


def test_texts_of_bench_hosts_do_not_control_the_terminal() -> None:
    shown = StringIO()
    with ConsoleDisplay(Console(file=shown)) as display:
        display.show("\x1b]0;title\x07 [bold]building", is_logged=True)
        display.note("ready\x1b[2J [link=x]")

    assert not set("\x1b\x07") & set(shown.getvalue())
    assert "[bold]building" in shown.getvalue()
    assert "[link=x]" in shown.getvalue()
