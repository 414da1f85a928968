import { Body, Controller, Get, HttpCode, Param, ParseIntPipe, Post } from '@nestjs/common';
import { ArticleListDto } from './article-list.dto.js';
import { ArticlesService } from './articles.service.js';

@Controller('articles')
export class ArticlesController {
  constructor(private readonly articlesService: ArticlesService) {}

  @Get(':size')
  getArticles(@Param('size', ParseIntPipe) size: number): ArticleListDto {
    return this.articlesService.find(size);
  }

  @Post()
  @HttpCode(200)
  answerArticles(@Body() list: ArticleListDto): ArticleListDto {
    return list;
  }
}
