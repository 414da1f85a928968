import { HttpModule } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { AppController } from './app.controller.js';
import { AppService } from './app.service.js';
import { ArticlesController } from './articles/articles.controller.js';
import { ArticlesService } from './articles/articles.service.js';
import { CarsController } from './cars/cars.controller.js';
import { CarsService } from './cars/cars.service.js';

@Module({
  imports: [HttpModule],
  controllers: [AppController, CarsController, ArticlesController],
  providers: [AppService, CarsService, ArticlesService],
})
export class AppModule {}
