const SENTENCE = "lorem ipsum dolor sit amet ";

const lists = new Map();

function text(length) {
  return SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length);
}

function makeArticle(number, body) {
  const padded = String(number).padStart(6, "0");
  const isEven = number % 2 === 0;
  return {
    slug: `article-${padded}`,
    title: `Article ${padded}`,
    description: `What article ${padded} is about`,
    body,
    tagList: ["training", "dragons"],
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-02T00:00:00.000Z",
    favorited: isEven,
    favoritesCount: 100 + (number % 900),
    author: {
      username: `author-${padded}`,
      bio: "Writes articles",
      image: "author.png",
      following: !isEven,
    },
  };
}

function makeArticles(size) {
  if (size < 1000) {
    return [{ title: text(size - 45) }];
  }
  const count = Math.floor(size / 1000);
  const bodies = size - 31 - String(count).length - count * 356;
  return Array.from({ length: count }, (_, index) =>
    makeArticle(index + 1, text(Math.floor(bodies / count) + (index < bodies % count ? 1 : 0))),
  );
}

export function articleList(size) {
  if (!lists.has(size)) {
    const articles = makeArticles(size);
    lists.set(size, { articles, articlesCount: articles.length });
  }
  return lists.get(size);
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const isFlag = (value) => typeof value === "boolean";
const isListOf = (isItem) => (value) => Array.isArray(value) && value.every(isItem);

const isOf = (fields, required) => (value) =>
  isObject(value) &&
  required.every((name) => name in value) &&
  Object.entries(fields).every(([name, isRight]) => !(name in value) || isRight(value[name]));

const AUTHOR = { username: isText, bio: isText, image: isText, following: isFlag };
const ARTICLE = {
  slug: isText,
  title: isText,
  description: isText,
  body: isText,
  tagList: isListOf(isText),
  createdAt: isText,
  updatedAt: isText,
  favorited: isFlag,
  favoritesCount: Number.isInteger,
  author: isOf(AUTHOR, Object.keys(AUTHOR)),
};

export const isArticleList = isOf(
  { articles: isListOf(isOf(ARTICLE, ["title"])), articlesCount: Number.isInteger },
  ["articles", "articlesCount"],
);
