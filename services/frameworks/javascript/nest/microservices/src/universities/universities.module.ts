import { Module } from '@nestjs/common';
import { HealthController } from '../health.controller.js';
import { ImportedUniversitiesService } from './imported-universities.service.js';
import { UniversitiesController } from './universities.controller.js';
import { UniversitiesService } from './universities.service.js';

const isImported = process.env.UNIVERSITIES === 'imported';

@Module({
  controllers: [HealthController, UniversitiesController],
  providers: [
    {
      provide: UniversitiesService,
      useClass: isImported ? ImportedUniversitiesService : UniversitiesService,
    },
  ],
})
export class UniversitiesModule {}
