"""`python -m worker.verify.scaffold` creates the folder of a framework (`make new-framework`)."""

import os
import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import FrameworkManifest
from backend.core.catalog.sources import SourceTree
from backend.core.config import get_settings
from backend.core.errors import NotFound, TachoError

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_OWN_TABLES = ("programs.", "scenarios.")
# Contributors add further scenarios as they write them.
_FIRST_SCENARIOS = ("scenarios.hello]", "scenarios.slow-upstream]")


def scaffold(services: Path, slug: str, model: str, language: str | None = None) -> Path:
    """Copy a working framework as the start of a new framework.

    Args:
        services: the `services/` folder.
        slug: slug of the new framework.
        model: slug of the framework to copy.
        language: language of the new framework, such as `Ruby`; None for the model's.

    Returns:
        The new folder; `make verify-service` passes for it.

    Raises:
        NotFound: there is no such model.
        TachoError: the slug or the language has invalid characters, or the slug is in use.
    """
    catalogue = Catalogue(services)
    if not _SLUG.fullmatch(slug):
        raise TachoError(f"S={slug} is not a slug: use lower-case letters, digits and hyphens.")
    if slug in catalogue.frameworks:
        raise TachoError(f"S={slug} is used by {catalogue.frameworks[slug][1]}; choose another.")
    manifest, source = catalogue.get_framework(model)
    assert isinstance(manifest, FrameworkManifest)
    shelf = source.folder.parent
    if language is not None:
        if not _SLUG.fullmatch(language.lower()):
            raise TachoError(
                f"LANGUAGE={language} is no folder name: use letters, digits, hyphens."
            )
        shelf = shelf.with_name(language.lower())
    folder = shelf / slug
    source.copy_to(folder)
    _link_shared_files(source, folder)
    for program in manifest.programs:
        shutil.rmtree(folder / program)
    path = folder / "service.toml"
    text = _adapt(path.read_text(encoding="utf-8"), slug, language or manifest.language)
    path.write_text(text, encoding="utf-8")
    return folder


def _link_shared_files(source: SourceTree, copy: Path) -> None:
    """Replace the copies of files that several frameworks share by links to them."""
    for name, path in source.list_files().items():
        target = path.resolve()
        if path.is_symlink() and not target.is_relative_to(source.folder.resolve()):
            link = copy / name
            link.unlink()
            link.symlink_to(os.path.relpath(target, link.parent.resolve()))


def _adapt(manifest: str, slug: str, language: str) -> str:
    """Return the model's manifest with a new name and only the first scenarios."""
    head, *tables = re.split(r"(?m)^\[", manifest)
    kept = [
        table
        for table in tables
        if not table.startswith(_OWN_TABLES) or table.startswith(_FIRST_SCENARIOS)
    ]
    head = re.sub(r'(?m)^slug = ".*"', f'slug = "{slug}"', head)
    head = re.sub(r'(?m)^name = ".*"', f'name = "{slug}"', head)
    head = re.sub(r'(?m)^language = ".*"', f'language = "{language}"', head)
    return "[".join([head, *kept]).rstrip() + "\n"


def main(
    slug: Annotated[str, typer.Argument(help="Slug of the new framework.")],
    model: Annotated[
        str, typer.Option(help="The framework to copy; choose a framework of the same language.")
    ] = "node",
    language: Annotated[
        str | None,
        typer.Option(help="Its language, such as Ruby. Default: the model's."),
    ] = None,
) -> None:
    """Create the folder of a new framework from a copy of a working framework."""
    try:
        folder = scaffold(get_settings().services_dir, slug, model, language)
    except NotFound as error:
        typer.echo(f"error: {error.detail} Choose a framework with FROM=<slug>.", err=True)
        raise typer.Exit(2) from error
    except TachoError as error:
        typer.echo(f"error: {error.detail}", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"{folder} is a copy of {model} that works. Now:")
    typer.echo("  1. service.toml: name, description, concurrency, licence, versions, links")
    typer.echo("  2. dependencies, source and Dockerfile: your framework in place of the model's")
    typer.echo(f"  3. make verify-service S={slug}")
    typer.echo("docs/contributor-guide/adding-a-framework.md explains each step.")


if __name__ == "__main__":
    typer.run(main)
