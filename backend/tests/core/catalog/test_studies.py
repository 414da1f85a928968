"""The tables of the study manifests against the documents, cell by cell."""

import os
import re
from pathlib import Path

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.study import Presentation, StudyManifest, Table
from backend.core.config import ROOT
from backend.tests.core.catalog.study_texts import Grid, list_pictures, read_tables

DOCUMENTS = ROOT.parent / "shared" / "seeds"
STUDIES = {slug: study for slug, (study, _) in Catalogue(ROOT / "services").studies.items()}

Position = tuple[int, int]


@pytest.fixture(params=list(STUDIES))
def study(request: pytest.FixtureRequest) -> StudyManifest:
    return STUDIES[request.param]


@pytest.fixture
def document(study: StudyManifest) -> Path:
    path = DOCUMENTS / study.source.document
    if not path.is_file():
        assert "CI" not in os.environ, f"CI has every document, but not {path}"
        pytest.skip(f"The document of {study.slug} is not here: {path}")
    return path


def test_tables_have_exactly_the_figures_of_the_document(
    study: StudyManifest, document: Path
) -> None:
    grids = read_tables(document)
    read: dict[int, set[Position]] = {}
    for table in study.tables:
        if table.document_table is not None:
            where = read.setdefault(table.document_table, set())
            where |= _compare(table, grids[table.document_table - 1])

    for number, grid in enumerate(grids, 1):
        written = {
            (row, column)
            for row, cells in enumerate(grid)
            for column, cell in enumerate(cells)
            if cell
        }
        assert written == read.get(number, set()), f"table {number} of {document.name}"


def test_every_picture_of_the_document_is_listed(study: StudyManifest, document: Path) -> None:
    listed = {name for table in study.tables for name in table.pictures}
    drawings = set(study.source.drawings)

    assert not listed & drawings
    assert listed | drawings == set(list_pictures(document))


def test_tables_from_pictures_have_no_figures(study: StudyManifest) -> None:
    for table in study.tables:
        if table.printed is Presentation.PICTURE:
            assert not any("".join(row.cells) for row in table.rows)


def test_figures_from_the_text_are_in_the_document(study: StudyManifest, document: Path) -> None:
    text = " ".join(document.read_text(encoding="utf-8").split())
    for table in study.tables:
        if table.printed is Presentation.TEXT:
            for cell in (cell for row in table.rows for cell in row.cells if cell):
                assert re.search(rf"(?<![\d.]){re.escape(cell)}", text), cell
    for claim in study.claims:
        for figure in claim.figures:
            assert re.search(rf"(?<![\d.]){re.escape(figure)}", text), figure


def test_headline_claims_name_what_they_are_about(study: StudyManifest) -> None:
    headlines = [claim.words for claim in study.claims if claim.headline]
    # The names of the study, and their first words as its text uses them.
    names = {word for system in study.systems for word in (system.name, system.name.split()[0])}
    names |= {"Vert.x", "Quarkus", "Spring Boot", "Micronaut"}

    assert headlines
    for words in headlines:
        assert any(name in words for name in names), words


def test_claims_do_not_quote_the_document(study: StudyManifest, document: Path) -> None:
    text = " ".join(document.read_text(encoding="utf-8").split())
    for words in [study.description, *(claim.words for claim in study.claims)]:
        assert words.rstrip(".") not in text


def _compare(table: Table, grid: Grid) -> set[Position]:
    """Assert that the grid contains this table; return the cells of the grid that it covers."""
    first = table.head_column + 1
    accounted: set[Position] = set()
    if table.head_row >= 0:
        heads = {first + index: column.head for index, column in enumerate(table.columns)}
        for column, head in heads.items():
            assert grid[table.head_row][column] == head
            accounted.add((table.head_row, column))
        for written in filter(None, (table.corner, table.span)):
            column = table.head_column + (written == table.span)
            assert grid[0][column] == written
            accounted.add((0, column))
    for row, cells in _rows_of(table, grid):
        accounted.add((row, table.head_column))
        for index, printed in enumerate(cells):
            found = grid[row][first + index] if first + index < len(grid[row]) else ""
            if printed != found:
                # Cells of prose may be omitted; cells with figures may not.
                assert not printed
                assert table.setting
                assert not re.search(r"\d", found), found
            accounted.add((row, first + index))
    return {(row, column) for row, column in accounted if column < len(grid[row])} - {
        (row, column)
        for row, cells in enumerate(grid)
        for column, cell in enumerate(cells)
        if not cell
    }


def _rows_of(table: Table, grid: Grid) -> list[tuple[int, tuple[str, ...]]]:
    """Return the position of each row in the grid, which has the same order."""
    begin = table.head_row + 1
    found = []
    for row in table.rows:
        at = next(
            index
            for index in range(begin, len(grid))
            if grid[index][table.head_column : table.head_column + 1] == [row.head]
        )
        found.append((at, row.cells))
        begin = at + 1
    return found
