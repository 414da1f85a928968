"""The version of a list of runs with a framework or scenario, which is found without its runs."""

from collections.abc import Callable
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.tests.answers import document
from backend.tests.api.comparisons.test_compare import measure
from backend.tests.api.stored.test_documents import finish, revalidate
from backend.tests.asking import RUNS, body

OF_NODE = f"{RUNS}?framework=node"
LISTS = (OF_NODE, f"{RUNS}?scenario=hello", f"{OF_NODE}&scenario=hello&status=succeeded")


def test_a_list_of_a_framework_depends_only_on_its_runs(client: TestClient, host_id: UUID) -> None:
    finish(host_id)
    first = client.get(OF_NODE)

    measure(host_id, frameworks=("go-nethttp",))

    assert revalidate(client, OF_NODE, first).status_code == 304
    assert client.get(OF_NODE).headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "change",
    [
        lambda client, slug: client.delete(f"{RUNS}/{slug}"),
        lambda client, slug: client.patch(f"{RUNS}/{slug}", json={"visibility": "private"}),
        lambda client, slug: client.patch(f"{RUNS}/{slug}", json={"title": "Renamed"}),
    ],
)
def test_a_list_changes_with_its_runs(
    client: TestClient,
    visitor: TestClient,
    host_id: UUID,
    path: str,
    change: Callable[[TestClient, str], object],
) -> None:
    slug, _ = finish(host_id)
    first = visitor.get(path)
    assert len(document(first)["items"]) == 1

    change(client, slug)

    second = revalidate(visitor, path, first)
    assert document(second)["items"] != document(first)["items"]
    assert second.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize("path", LISTS[:2])
def test_a_list_shows_new_runs_and_has_no_version_until_they_end(
    client: TestClient, host_id: UUID, path: str
) -> None:
    finish(host_id)
    first = client.get(path)

    document(client.post(RUNS, json=body()), 202)

    second = revalidate(client, path, first)
    assert len(document(second)["items"]) == 2
    assert "etag" not in second.headers
