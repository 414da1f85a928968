"""The models of the bodies that requests to the API have."""

from pydantic import BaseModel

from backend.core.bodies import Schema
from backend.tests.openapi import openapi_document


def list_bodies() -> list[type[BaseModel]]:
    """Return the model of each request body of JSON in the OpenAPI document."""
    contents = [
        operation["requestBody"]["content"]
        for path in openapi_document()["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]
    names = {
        content["application/json"]["schema"]["$ref"].split("/")[-1]
        for content in contents
        if "application/json" in content
    }
    models = {model.__name__: model for model in _list_models(Schema)}
    return [models[name] for name in sorted(names)]


def _list_models(base: type[BaseModel]) -> list[type[BaseModel]]:
    own = base.__subclasses__()
    return [*own, *(model for below in own for model in _list_models(below))]
