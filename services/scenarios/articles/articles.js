// The list of articles that services/CONTRACT.md prescribes for each size.
//
// Exports
//   articleList(sizeBytes)    the list whose compact JSON has that many bytes
//   slugOf(number)            the slug of the article of that number, counted from 1
//   countArticles(sizeBytes)  how many articles that list has
//   text(length)              the beginning of the text that fills articles up
const SENTENCE = 'lorem ipsum dolor sit amet ';
const SHORT_BYTES = 1000; // below this size, a list holds one article that has only a title
const SHORT_FRAME_BYTES = 45;
const ARTICLE_FRAME_BYTES = 355; // an article with an empty body
const LIST_FRAME_BYTES = 32; // without the count's digits and the commas

const padded = (number) => String(number).padStart(6, '0');

export const slugOf = (number) => `article-${padded(number)}`;

export const countArticles = (sizeBytes) => Math.max(Math.floor(sizeBytes / SHORT_BYTES), 1);

export function text(length) {
  return SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length);
}

function article(number, body) {
  const isEven = number % 2 === 0;
  return {
    slug: slugOf(number),
    title: `Article ${padded(number)}`,
    description: `What article ${padded(number)} is about`,
    body,
    tagList: ['training', 'dragons'],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    favorited: isEven,
    favoritesCount: 100 + (number % 900),
    author: {
      username: `author-${padded(number)}`,
      bio: 'Writes articles',
      image: 'author.png',
      following: !isEven,
    },
  };
}

export function articleList(sizeBytes) {
  const count = countArticles(sizeBytes);
  if (sizeBytes < SHORT_BYTES) {
    return { articles: [{ title: text(sizeBytes - SHORT_FRAME_BYTES) }], articlesCount: count };
  }
  const frames = LIST_FRAME_BYTES + String(count).length + (count - 1);
  const bodies = sizeBytes - frames - count * ARTICLE_FRAME_BYTES;
  const least = Math.floor(bodies / count);
  const longerCount = bodies % count;
  const articles = Array.from({ length: count }, (_, index) =>
    article(index + 1, text(least + (index < longerCount ? 1 : 0))),
  );
  return { articles, articlesCount: count };
}
