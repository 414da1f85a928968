"""Links of OpenAPI: the operations that take what a response returns."""

from typing import Any


def follow_ups(
    status: int, parameter: str, field: str, *operations: str
) -> dict[int | str, dict[str, Any]]:
    """Describe which operations take a field of this response as a parameter of their path.

    Schemathesis infers most links from the names of schemas. The other responses declare theirs.

    Args:
        operations: their ids.
    """
    parameters = {parameter: f"$response.body#/{field}"}
    return {
        status: {
            "links": {
                operation: {"operationId": operation, "parameters": parameters}
                for operation in operations
            }
        }
    }
