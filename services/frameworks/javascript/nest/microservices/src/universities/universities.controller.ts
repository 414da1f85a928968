import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { University } from './university.js';
import { UniversitiesService } from './universities.service.js';

@Controller()
export class UniversitiesController {
  constructor(private readonly universitiesService: UniversitiesService) {}

  @MessagePattern({ cmd: 'universities' })
  find(@Payload() country: string): Promise<University[]> {
    return this.universitiesService.findByCountry(country);
  }
}
