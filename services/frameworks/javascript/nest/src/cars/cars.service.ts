import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';

const MODELS = [
  'e-tron',
  'TT Coupé',
  'Nova',
  'Uno',
  'Kuga',
  'Pinto',
  'Probe',
  'Vaneo',
  'iMIEV',
  'Opa',
  'Phaeton',
];
const COMPANIES = ['Audi', 'Toyota', 'VW', 'Ford', 'Kia', 'Fiat', 'Chevrolet', 'Mercedes'];
const COUNT = 10;

export interface Car {
  id: number;
  model: string;
  company: string;
}

@Injectable()
export class CarsService {
  async *cars(first: number, delayMs: number): AsyncGenerator<Car> {
    for (let id = first; id < first + COUNT; id += 1) {
      if (delayMs > 0) {
        await setTimeout(delayMs / COUNT);
      }
      yield { id, model: MODELS[id % MODELS.length], company: COMPANIES[id % COMPANIES.length] };
    }
  }

  async *carLines(first: number, delayMs: number): AsyncGenerator<string> {
    for await (const car of this.cars(first, delayMs)) {
      yield `${JSON.stringify(car)}\n`;
    }
  }
}
