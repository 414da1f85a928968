import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { sign } from '../signature.js';
import type { SignedUniversities, UniversitiesQuery } from './university.js';
import { UniversitiesService } from './universities.service.js';

@Controller()
export class UniversitiesController {
  private calls = 0;

  constructor(private readonly universitiesService: UniversitiesService) {}

  @MessagePattern({ cmd: 'universities' })
  async find(@Payload() { country, nonce }: UniversitiesQuery): Promise<SignedUniversities> {
    this.calls += 1;
    const stamp = this.calls;
    const universities = await this.universitiesService.findByCountry(country);
    return { stamp, signature: sign(`${nonce} ${stamp}`), universities };
  }
}
