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

const author = {
  type: "object",
  required: ["username", "bio", "image", "following"],
  properties: {
    username: { type: "string" },
    bio: { type: "string" },
    image: { type: "string" },
    following: { type: "boolean" },
  },
};

const article = {
  type: "object",
  required: ["title"],
  properties: {
    slug: { type: "string" },
    title: { type: "string" },
    description: { type: "string" },
    body: { type: "string" },
    tagList: { type: "array", items: { type: "string" } },
    createdAt: { type: "string" },
    updatedAt: { type: "string" },
    favorited: { type: "boolean" },
    favoritesCount: { type: "integer" },
    author,
  },
};

export const articleListSchema = {
  type: "object",
  required: ["articles", "articlesCount"],
  properties: {
    articles: { type: "array", items: article },
    articlesCount: { type: "integer" },
  },
};
