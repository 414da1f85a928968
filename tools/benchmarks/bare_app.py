"""The peer of `make bench-start`: an API without Tacho, on the same libraries.

It has one route, a database, a broker and Redis.
"""

import redis
from celery import Celery
from fastapi import FastAPI
from sqlalchemy import create_engine, text
from sqlalchemy.orm import DeclarativeBase, Session

from backend.core.config import get_settings


class BareTable(DeclarativeBase):
    """The base class of tables."""


def create_app() -> FastAPI:
    """Return the app; it answers once database, broker and Redis do."""
    settings = get_settings()
    app = FastAPI()
    engine = create_engine(settings.database_url)
    client = redis.Redis.from_url(settings.redis_url)
    celery = Celery("bare", broker=settings.redis_url)

    @app.get("/")
    def check() -> dict[str, str]:
        with Session(engine) as session:
            session.execute(text("SELECT 1"))
        client.ping()
        with celery.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1)
        return {"status": "ok"}

    return app
