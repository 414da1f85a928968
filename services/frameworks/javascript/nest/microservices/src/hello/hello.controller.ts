import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';

@Controller()
export class HelloController {
  @MessagePattern({ cmd: 'hello' })
  greet(@Payload() name: string): string {
    return `${process.env.GREETING} ${name}!`;
  }
}
