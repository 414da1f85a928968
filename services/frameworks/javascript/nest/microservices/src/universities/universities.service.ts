import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { University } from './university.js';

@Injectable()
export class UniversitiesService {
  async findByCountry(country: string): Promise<University[]> {
    const text = await readFile(join(process.env.DATA_DIR!, 'universities.json'), 'utf8');
    const universities = JSON.parse(text) as University[];
    return universities.filter((university) => university.country === country);
  }
}
