import {
  Controller,
  DefaultValuePipe,
  Get,
  Headers,
  ParseIntPipe,
  Query,
  StreamableFile,
} from '@nestjs/common';
import { Readable } from 'node:stream';
import { type Car, CarsService } from './cars.service.js';

const STREAM_TYPES = ['application/stream+json', 'application/octet-stream'];

@Controller('cars')
export class CarsController {
  constructor(private readonly carsService: CarsService) {}

  @Get()
  async getCars(
    @Headers('accept') accept: string | undefined,
    @Query('first', new DefaultValuePipe(0), ParseIntPipe) first: number,
    @Query('delay_ms', new DefaultValuePipe(0), ParseIntPipe) delayMs: number,
  ): Promise<Car[] | StreamableFile> {
    if (accept !== undefined && STREAM_TYPES.includes(accept)) {
      const lines = Readable.from(this.carsService.carLines(first, delayMs));
      return new StreamableFile(lines, { type: accept });
    }
    return Readable.from(this.carsService.cars(first, delayMs)).toArray();
  }
}
