"""`tacho export`: write the result of a run to a file."""

import os
from pathlib import Path
from typing import Annotated

import typer

from cli.cells import RunName, Url
from cli.client import ExitCode, download, open_client
from cli.console import fail, read_settings

# A longer ending comes before a shorter ending that it contains.
_FORMATS = ("json", "seconds.csv", "csv", "md", "html", "bib")

File = Annotated[
    Path,
    typer.Argument(
        help="New file. Its ending chooses the format: .json for all data, .csv for a row for each "
        "trial, .seconds.csv for a row for each second, .md for tables, .html for the page, which "
        "opens offline, or .bib for BibTeX."
    ),
]


def run(name: RunName, file: File, url: Url = None) -> None:
    """Write the result of a run to a new file.

    Exit codes: 0 written, 1 Tacho does not answer or the file cannot be written, 2 refused.
    """
    suffix = next((known for known in _FORMATS if file.name.endswith(f".{known}")), None)
    if suffix is None:
        endings = ", ".join(f".{known}" for known in _FORMATS)
        fail(f"{file}: end the name with one of {endings}.", ExitCode.REFUSED)
    if file.exists():
        fail(f"{file} exists. Name a new file, or delete this one.", ExitCode.REFUSED)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with open_client(read_settings(), url) as client, part.open("xb") as target:
            download(client, f"/api/v1/runs/{name}/export.{suffix}", target)
        part.replace(file)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror or error}. Name another file.")
    finally:
        # A file with this name never holds a part of an export.
        part.unlink(missing_ok=True)
    print(f"{file}: {file.stat().st_size:,} bytes.")
