"""The file with the tokens of `tacho login`, which several commands may change at the same time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import typer

from cli import credentials

URL = "https://tacho.example.org"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "tacho"


def test_commands_at_the_same_time_lose_no_token() -> None:
    urls = [f"https://{number}.example.org" for number in range(12)]
    start = Barrier(len(urls))

    def store(url: str) -> None:
        start.wait()
        credentials.store_token(url, f"token of {url}")
        credentials.store_token(f"{url}:8443", "another")
        credentials.remove_token(f"{url}:8443", "another")

    with ThreadPoolExecutor(len(urls)) as pool:
        list(pool.map(store, urls))

    assert [credentials.find_token(url) for url in urls] == [f"token of {url}" for url in urls]
    assert [credentials.find_token(f"{url}:8443") for url in urls] == [None] * len(urls)


def test_a_token_that_another_command_replaced_is_not_removed() -> None:
    assert credentials.store_token(URL, "first") is None
    assert credentials.store_token(URL, "second") == "first"

    credentials.remove_token(URL, "first")

    assert credentials.find_token(URL) == "second"


def test_only_the_file_of_the_tokens_remains(folder: Path) -> None:
    credentials.store_token(URL, "first")
    credentials.remove_token(URL, "first")

    assert [path.name for path in folder.iterdir()] == ["credentials.json"]


def test_a_folder_that_cannot_be_used_ends_the_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.write_text("a file in place of the folder", encoding="utf-8")

    with pytest.raises(typer.Exit):
        credentials.store_token(URL, "first")

    assert f"The folder {folder} cannot be opened" in capsys.readouterr().err
