"""SQL for presets. Never commits."""

from sqlalchemy import String, func, literal_column, select
from sqlalchemy.orm import Session

from backend.core.models import Study
from backend.core.stored_documents.subjects import Topic
from backend.core.stored_documents.versions import select_version

# Studies have no topic, because only presets need their version.
_STUDY = func.concat(Study.id, ",", literal_column("study.xmin::text", String))
_STUDIES = select(func.string_agg(_STUDY, ";").aggregate_order_by(Study.id)).scalar_subquery()
_VERSION = select(func.concat(select_version((Topic.CATALOGUE, Topic.SOURCES)), "|", _STUDIES))


def read_version(session: Session) -> str:
    """Return a version of the catalogue, with the studies and with the files that hosts have.

    It never comes back after a change.
    """
    return session.scalars(_VERSION).one()
