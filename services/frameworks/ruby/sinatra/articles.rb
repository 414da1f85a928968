SENTENCE = "lorem ipsum dolor sit amet "
LISTS = {}

def text(length)
  (SENTENCE * (length / SENTENCE.length + 1))[0, length]
end

def make_article(number, body)
  padded = format("%06d", number)
  {
    slug: "article-#{padded}",
    title: "Article #{padded}",
    description: "What article #{padded} is about",
    body: body,
    tagList: %w[training dragons],
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-02T00:00:00.000Z",
    favorited: number.even?,
    favoritesCount: 100 + number % 900,
    author: {
      username: "author-#{padded}",
      bio: "Writes articles",
      image: "author.png",
      following: number.odd?
    }
  }
end

def make_articles(size)
  return [{ title: text(size - 45) }] if size < 1000

  count = size / 1000
  bodies = size - 31 - count.to_s.length - count * 356
  Array.new(count) do |index|
    make_article(index + 1, text(bodies / count + (index < bodies % count ? 1 : 0)))
  end
end

def article_list(size)
  LISTS[size] ||= make_articles(size).then do |articles|
    { articles: articles, articlesCount: articles.length }
  end
end

IS_TEXT = ->(value) { value.is_a?(String) }
IS_FLAG = ->(value) { [true, false].include?(value) }
IS_NUMBER = ->(value) { value.is_a?(Integer) }

def list_of(is_item)
  ->(value) { value.is_a?(Array) && value.all?(&is_item) }
end

def object_of(fields, required)
  lambda do |value|
    value.is_a?(Hash) && required.all? { |name| value.key?(name) } &&
      fields.all? { |name, is_right| !value.key?(name) || is_right.call(value[name]) }
  end
end

AUTHOR = { "username" => IS_TEXT, "bio" => IS_TEXT, "image" => IS_TEXT, "following" => IS_FLAG }.freeze
ARTICLE = {
  "slug" => IS_TEXT,
  "title" => IS_TEXT,
  "description" => IS_TEXT,
  "body" => IS_TEXT,
  "tagList" => list_of(IS_TEXT),
  "createdAt" => IS_TEXT,
  "updatedAt" => IS_TEXT,
  "favorited" => IS_FLAG,
  "favoritesCount" => IS_NUMBER,
  "author" => object_of(AUTHOR, AUTHOR.keys)
}.freeze
IS_LIST = object_of(
  { "articles" => list_of(object_of(ARTICLE, ["title"])), "articlesCount" => IS_NUMBER },
  %w[articles articlesCount]
)

def article_list?(value)
  IS_LIST.call(value)
end
