import { Injectable } from '@nestjs/common';
import type { ArticleDto, ArticleListDto } from './article-list.dto.js';

const SENTENCE = 'lorem ipsum dolor sit amet ';

function text(length: number): string {
  return SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length);
}

function makeArticle(number: number, body: string): ArticleDto {
  const padded = String(number).padStart(6, '0');
  const isEven = number % 2 === 0;
  return {
    slug: `article-${padded}`,
    title: `Article ${padded}`,
    description: `What article ${padded} is about`,
    body,
    tagList: ['training', 'dragons'],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    favorited: isEven,
    favoritesCount: 100 + (number % 900),
    author: {
      username: `author-${padded}`,
      bio: 'Writes articles',
      image: 'author.png',
      following: !isEven,
    },
  };
}

function makeArticles(size: number): ArticleDto[] {
  if (size < 1000) {
    return [{ title: text(size - 45) }];
  }
  const count = Math.floor(size / 1000);
  const bodies = size - 31 - String(count).length - count * 356;
  return Array.from({ length: count }, (_, index) =>
    makeArticle(index + 1, text(Math.floor(bodies / count) + (index < bodies % count ? 1 : 0))),
  );
}

@Injectable()
export class ArticlesService {
  private readonly lists = new Map<number, ArticleListDto>();

  find(size: number): ArticleListDto {
    let list = this.lists.get(size);
    if (list === undefined) {
      const articles = makeArticles(size);
      list = { articles, articlesCount: articles.length };
      this.lists.set(size, list);
    }
    return list;
  }
}
