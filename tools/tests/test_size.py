"""The lines of the repository are counted by room, without generated files and data."""

from pathlib import Path

from tools.size import count_lines, find_room


def test_each_kind_of_file_has_its_room() -> None:
    paths = {
        "backend/core/db.py": "backend",
        "backend/tests/core/test_db.py": "Python tests",
        "worker/loadgen/k6/main.go": "worker",
        "worker/loadgen/k6/sender/sender_test.go": "other tests",
        "worker/tests/fixtures/cheating/server.js": "other tests",
        "tools/benchmarks/truth.py": "tools",
        "services/frameworks/node/server.js": "services",
        "frontend/src/lib/format.ts": "frontend",
        "frontend/src/lib/format.test.ts": "frontend tests",
    }

    rooms = {path: find_room(path) for path in paths}

    assert {path: room and room.name for path, room in rooms.items()} == paths


def test_generated_files_and_data_do_not_count() -> None:
    for path in (
        "frontend/src/api/schema.d.ts",
        "services/frameworks/go/chain-go-grpc/chain/chain.pb.go",
        "services/studies/a.toml",
        "frontend/openapi.json",
    ):
        assert find_room(path) is None


def test_all_lines_of_a_file_count(tmp_path: Path) -> None:
    (tmp_path / "worker").mkdir()
    (tmp_path / "worker/a.py").write_text("one\n\nthree\n")

    assert count_lines(["worker/a.py"], tmp_path)["worker"] == 3
