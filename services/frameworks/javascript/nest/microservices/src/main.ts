import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { GatewayModule } from './gateway/gateway.module.js';
import { HelloModule } from './hello/hello.module.js';
import { UniversitiesModule } from './universities/universities.module.js';

const { HOST = '0.0.0.0', PART, PORT, RPC_PORT } = process.env;
const peers: Record<string, Type> = { hello: HelloModule, universities: UniversitiesModule };

async function bootstrap() {
  process.on('SIGTERM', () => process.exit(0));
  const app = await NestFactory.create(PART === undefined ? GatewayModule : peers[PART]);
  if (PART !== undefined) {
    app.connectMicroservice<MicroserviceOptions>({
      transport: Transport.TCP,
      options: { host: HOST, port: Number(RPC_PORT) },
    });
    await app.startAllMicroservices();
  }
  await app.listen(Number(PORT), HOST);
}
await bootstrap();
