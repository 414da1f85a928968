import { Agent } from 'node:http';
import { HttpModule } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { AppController } from './app.controller.js';
import { AppService } from './app.service.js';
import { ArticlesController } from './articles/articles.controller.js';
import { ArticlesService } from './articles/articles.service.js';
import { CarsController } from './cars/cars.controller.js';
import { CarsService } from './cars/cars.service.js';

// The contract requires that connections stay open for the next call. Node.js keeps 256 by default.
const httpAgent = new Agent({ keepAlive: true, maxFreeSockets: 1000 });

@Module({
  imports: [HttpModule.register({ httpAgent })],
  controllers: [AppController, CarsController, ArticlesController],
  providers: [AppService, CarsService, ArticlesService],
})
export class AppModule {}
