import { Module } from '@nestjs/common';
import { HealthController } from '../health.controller.js';
import { HelloController } from './hello.controller.js';

@Module({ controllers: [HealthController, HelloController] })
export class HelloModule {}
