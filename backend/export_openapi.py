"""Write the OpenAPI document for the frontend's generated client: python -m
backend.export_openapi"""

import json

from backend.core.config import ROOT
from backend.main import openapi_document

TARGET = ROOT / "frontend" / "openapi.json"

if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(openapi_document(), indent=2, ensure_ascii=False) + "\n")
