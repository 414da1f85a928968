import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { University } from './university.js';

/** Imports the list once, as the service of a published study did. */
@Injectable()
export class ImportedUniversitiesService {
  private readonly universities = createRequire(import.meta.url)(
    join(process.env.DATA_DIR!, 'universities.json'),
  ) as University[];

  async findByCountry(country: string): Promise<University[]> {
    return this.universities.filter((university) => university.country === country);
  }
}
