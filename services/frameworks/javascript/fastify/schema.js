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
