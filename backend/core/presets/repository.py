"""SQL for presets. Never commits."""

from sqlalchemy import text
from sqlalchemy.orm import Session

from backend.core.stored_documents.subjects import Topic

# Studies have no topic, because only presets need their version.
_VERSION = text(
    "SELECT concat((SELECT string_agg(id::text, ',' ORDER BY id) FROM data_version"
    " WHERE topic = ANY(:topics)), '|',"
    " (SELECT string_agg(concat(id, ',', xmin), ';' ORDER BY id) FROM study))"
)


def read_version(session: Session) -> str:
    """Return a version of the catalogue, with the studies and with the files that hosts have.

    It never comes back after a change.
    """
    topics = [str(topic) for topic in (Topic.CATALOGUE, Topic.SOURCES)]
    return str(session.execute(_VERSION, {"topics": topics}).scalar_one())
