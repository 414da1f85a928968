import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { SignedUniversities } from '../universities/university.js';
import { AuthGuard } from './auth.guard.js';
import { GatewayService } from './gateway.service.js';

@Controller('universities')
@UseGuards(AuthGuard)
export class UniversitiesGatewayController {
  constructor(private readonly gatewayService: GatewayService) {}

  @Get()
  find(
    @Query('country') country: string,
    @Query('nonce') nonce: string,
  ): Observable<SignedUniversities> {
    return this.gatewayService.findUniversities(country, nonce);
  }
}
