import { Controller, Get, Header, Query } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { GatewayService } from './gateway.service.js';

@Controller('gateway')
export class GatewayController {
  constructor(private readonly gatewayService: GatewayService) {}

  @Get()
  @Header('Content-Type', 'text/plain')
  greet(@Query('name') name: string): Observable<string> {
    return this.gatewayService.greet(name);
  }
}
