import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';

export class AuthorDto {
  @IsString()
  username: string;

  @IsString()
  bio: string;

  @IsString()
  image: string;

  @IsBoolean()
  following: boolean;
}

export class ArticleDto {
  @IsOptional()
  @IsString()
  slug?: string;

  @IsString()
  title: string;

  @IsOptional()
  @IsString()
  description?: string;

  @IsOptional()
  @IsString()
  body?: string;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  tagList?: string[];

  @IsOptional()
  @IsString()
  createdAt?: string;

  @IsOptional()
  @IsString()
  updatedAt?: string;

  @IsOptional()
  @IsBoolean()
  favorited?: boolean;

  @IsOptional()
  @IsInt()
  favoritesCount?: number;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => AuthorDto)
  author?: AuthorDto;
}

export class ArticleListDto {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ArticleDto)
  articles: ArticleDto[];

  @IsInt()
  articlesCount: number;
}
