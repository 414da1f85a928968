"""The limits of archives with the files of a version."""

from backend.core.errors import TooLarge

# As tar.gz. The database stores it in one value.
MOST_SOURCE_BYTES = 32 * 1024 * 1024


def refuse_size(size_bytes: int) -> TooLarge:
    """Return the error of an archive that is too large."""
    return TooLarge(
        f"The compressed files of a version have {size_bytes / 2**20:.1f} MiB. A Tacho takes at "
        f"most {MOST_SOURCE_BYTES // 2**20} MiB. Keep data that neither the build nor the loads "
        "need out of the repository, or guard on this machine, without --on."
    )
