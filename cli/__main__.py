"""`python -m cli` is the `tacho` command."""

from cli import app

app()
