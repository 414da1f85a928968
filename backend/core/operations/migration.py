"""Migrations of the schema with Alembic. Only commands import this: Alembic loads slowly."""

from alembic import command
from alembic.config import Config

from backend.core.config import ASSETS
from backend.core.operations.bench_hosts.roles import set_up_roles


def alembic_config(database_url: str) -> Config:
    """Return Alembic's configuration for `migrations/`, without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(ASSETS / "migrations"))
    config.set_main_option(
        "file_template", "%%(year)d_%%(month).2d_%%(day).2d_%%(hour).2d%%(minute).2d-%%(slug)s"
    )
    config.attributes["database_url"] = database_url
    return config


def migrate(database_url: str) -> str:
    """Migrate the schema to the newest revision, and set up the roles of the database.

    Returns an empty text, or why bench hosts cannot get database users of their own.
    """
    command.upgrade(alembic_config(database_url), "head")
    return set_up_roles(database_url)
