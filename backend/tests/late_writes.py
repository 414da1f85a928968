"""Let the API store at once what it would store a moment after its response."""

from fastapi.testclient import TestClient

from backend.api.process.resources import AppResources


def write_now(client: TestClient) -> None:
    """Let the API store what waits, instead of a moment later."""
    resources: AppResources = client.app_state["resources"]
    assert client.portal is not None
    client.portal.call(resources.uses.flush)
