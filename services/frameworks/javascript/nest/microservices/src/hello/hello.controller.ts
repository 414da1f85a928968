import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { sign } from '../signature.js';

@Controller()
export class HelloController {
  private calls = 0;

  @MessagePattern({ cmd: 'hello' })
  greet(@Payload() name: string): string {
    this.calls += 1;
    const signature = sign(`${name} ${this.calls}`);
    return `Hello ${name}! ${this.calls} ${signature}`;
  }
}
