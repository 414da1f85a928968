import { Module } from '@nestjs/common';
import { HealthController } from '../health.controller.js';
import { UniversitiesController } from './universities.controller.js';
import { UniversitiesService } from './universities.service.js';

@Module({
  controllers: [HealthController, UniversitiesController],
  providers: [UniversitiesService],
})
export class UniversitiesModule {}
