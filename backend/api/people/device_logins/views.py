"""Sign-ins of the command line as the API shows them."""

from backend.api.people.device_logins.schemas import DeviceLoginOut
from backend.core.people.tokens.device_logins import DeviceLogin


def device_login_out(login: DeviceLogin) -> DeviceLoginOut:
    return DeviceLoginOut.model_validate(
        {
            "client_name": login.client_name,
            "address": login.address,
            "scope": login.scope,
            "started_at": login.started_at,
        }
    )
