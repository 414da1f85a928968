"""The OpenAPI document for tests that list operations."""

import json
from functools import cache

from backend.core.documents import JsonObject
from backend.export_openapi import OPENAPI


@cache
def openapi_document() -> JsonObject:
    """Return the OpenAPI document in the repository, which must not be changed.

    Generating it takes seconds in each pytest worker. backend/tests/test_contract.py checks that it
    is the document of the app.
    """
    document: JsonObject = json.loads(OPENAPI.read_text())
    return document
