"""Members of a workspace as the API shows them."""

from backend.api.people.members.schemas import MemberOut
from backend.core.models import Membership


def member_out(member: Membership) -> MemberOut:
    return MemberOut(
        user_id=member.user_id,
        email=member.user.email,
        name=member.user.name,
        role=member.role,
        created_at=member.created_at,
    )
