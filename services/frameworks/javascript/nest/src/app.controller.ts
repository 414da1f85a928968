import { Controller, Get, Header, Query } from '@nestjs/common';
import { AppService } from './app.service.js';

@Controller()
export class AppController {
  constructor(private readonly appService: AppService) {}

  @Get('hello')
  @Header('Content-Type', 'text/plain')
  getHello(): string {
    return this.appService.getHello();
  }

  @Get()
  @Header('Content-Type', 'text/plain')
  forwardUpstream(@Query('nonce') nonce = ''): Promise<string> {
    return this.appService.callUpstream(nonce);
  }

  @Get('health')
  @Header('Content-Type', 'text/plain')
  getHealth(): string {
    return 'ok';
  }
}
