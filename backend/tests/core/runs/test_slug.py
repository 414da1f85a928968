"""Slugs of permalinks."""

from backend.core.runs.slug import ALPHABET, LENGTH, new_slug


def test_slugs_are_short_readable_and_unique() -> None:
    slugs = [new_slug() for _ in range(2_000)]

    assert len(set(slugs)) == 2_000
    assert {len(slug) for slug in slugs} == {LENGTH}
    assert set("".join(slugs)) == set(ALPHABET)


def test_the_alphabet_has_no_look_alikes_and_no_vowels() -> None:
    assert not set(ALPHABET) & set("01lioaeuy")
    assert len(ALPHABET) ** LENGTH > 2**47
