"""The pages of runs and choices: heads for link previews, and the answer of a run in the body."""

import re
from html import escape
from urllib.parse import quote

from backend.api.results.answers.views import Answer
from backend.api.results.choice.schemas import ChoiceOut
from backend.api.results.sharing.answer_card import embed_answer, render_run_page
from backend.api.results.sharing.preview import HEIGHT, WIDTH, describe_run
from backend.core.people.access.viewer import PUBLIC
from backend.core.results.run_results.service import RunResults
from backend.core.runs.visibility import lists

# The text of the built page that is replaced, and the replacement.
_TITLE = "<title>Tacho</title>"
_DESCRIPTION = re.compile(r'<meta\s+name="description".*?/>\s*', re.DOTALL)
_MOST_WORDS = 300
ROOT_ELEMENT = '<div id="root"></div>'


def fill_head(page: str, results: RunResults, answer: Answer, origin: str) -> str:
    """The page with the run's tags (Open Graph, Twitter).

    Args:
        page: the built run-page.html.
        answer: of the run.
        origin: of this installation, such as https://tacho.example.org.
    """
    run = results.run
    url = f"{origin}/r/{run.slug}"
    return _add_tags(
        page,
        run.title,
        describe_run(results, answer),
        url,
        picture=f"{url}/preview.png",
        # Unlisted runs are for people who have the link, not for search engines.
        is_listed=lists(PUBLIC, run.workspace_id, run.visibility),
    )


def fill_choice_head(page: str, choice: ChoiceOut, url: str) -> str:
    """Return the page *Choose* with the recommendation as its tags.

    Args:
        page: the built index.html.
        url: the address of the page with its query.
    """
    title = f"Choose for {choice.scenario.name}"
    words = " ".join([f"{choice.headline}.", *choice.sentences])
    return _add_tags(page, title, words, url, picture=url.replace("?", "/preview.png?", 1))


def _add_tags(
    page: str,
    title: str,
    words: str,
    url: str,
    *,
    picture: str | None = None,
    is_listed: bool = True,
) -> str:
    if len(words) > _MOST_WORDS:
        words = f"{words[: _MOST_WORDS - 1].rstrip()}…"
    named = {
        "description": words,
        "twitter:card": "summary_large_image" if picture else "summary",
        "twitter:title": title,
        "twitter:description": words,
        **({"twitter:image": picture} if picture else {}),
        **({} if is_listed else {"robots": "noindex"}),
    }
    properties = {
        "og:type": "article",
        "og:site_name": "Tacho",
        "og:title": title,
        "og:description": words,
        "og:url": url,
    }
    if picture:
        properties |= {
            "og:image": picture,
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "og:image:alt": words,
        }
    tags = [
        f"<title>{escape(title)} · Tacho</title>",
        f'<link rel="canonical" href="{escape(url)}" />',
        *(f'<meta name="{key}" content="{escape(value)}" />' for key, value in named.items()),
        *(
            f'<meta property="{key}" content="{escape(value)}" />'
            for key, value in properties.items()
        ),
    ]
    return _DESCRIPTION.sub("", page).replace(_TITLE, "\n    ".join(tags), 1)


def fill_body(page: str, answer: Answer, name: str, links: str, *, has_own_ranking: bool) -> str:
    """Return the page with the run's answer, which is readable before and without scripts.

    Args:
        page: the built run-page.html.
        name: id or slug of the run, as in the address of the page.
        links: further elements that load code of the page early.
        has_own_ranking: whether the address selects another metric or baseline than the default.
    """
    path = f"/api/v1/runs/{quote(name, safe='')}"
    requested = [path] if has_own_ranking else [path, f"{path}/ranking"]
    early = [*([links] if links else []), *map(_preload, requested)]
    root = ROOT_ELEMENT.replace("><", f">{render_run_page(answer)}<")
    # The links follow what the first paint needs.
    return page.replace(ROOT_ELEMENT, "\n    ".join([root, *early, embed_answer(answer, name)]), 1)


def _preload(path: str) -> str:
    return f'<link rel="preload" as="fetch" crossorigin href="{escape(path)}" />'
