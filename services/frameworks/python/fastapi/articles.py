"""Lists of articles: built from objects in memory, and parsed into objects."""

from functools import cache

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

SENTENCE = "lorem ipsum dolor sit amet "


class Part(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)


class Author(Part):
    username: str
    bio: str
    image: str
    following: bool


class Article(Part):
    slug: str | None = None
    title: str
    description: str | None = None
    body: str | None = None
    tag_list: list[str] | None = None
    created_at: str | None = None
    updated_at: str | None = None
    favorited: bool | None = None
    favorites_count: int | None = None
    author: Author | None = None


class ArticleList(Part):
    articles: list[Article]
    articles_count: int


def text(length: int) -> str:
    return (SENTENCE * (length // len(SENTENCE) + 1))[:length]


def make_article(number: int, body: str) -> Article:
    is_even = number % 2 == 0
    return Article(
        slug=f"article-{number:06}",
        title=f"Article {number:06}",
        description=f"What article {number:06} is about",
        body=body,
        tag_list=["training", "dragons"],
        created_at="2026-01-01T00:00:00.000Z",
        updated_at="2026-01-02T00:00:00.000Z",
        favorited=is_even,
        favorites_count=100 + number % 900,
        author=Author(
            username=f"author-{number:06}",
            bio="Writes articles",
            image="author.png",
            following=not is_even,
        ),
    )


def make_articles(size: int) -> list[Article]:
    if size < 1000:
        return [Article(title=text(size - 45))]
    count = size // 1000
    bodies = size - 31 - len(str(count)) - count * 356
    return [
        make_article(index + 1, text(bodies // count + (index < bodies % count)))
        for index in range(count)
    ]


@cache
def article_list(size: int) -> ArticleList:
    articles = make_articles(size)
    return ArticleList(articles=articles, articles_count=len(articles))
