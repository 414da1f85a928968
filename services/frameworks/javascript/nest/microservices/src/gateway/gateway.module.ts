import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { ClientsModule, Transport } from '@nestjs/microservices';
import { HealthController } from '../health.controller.js';
import { GatewayController } from './gateway.controller.js';
import { GatewayService } from './gateway.service.js';
import { UniversitiesGatewayController } from './universities-gateway.controller.js';

const { HELLO_RPC_PORT, JWT_SECRET, UNIVERSITIES_RPC_PORT } = process.env;

@Module({
  imports: [
    JwtModule.register({ secret: JWT_SECRET }),
    ClientsModule.register([
      {
        name: 'HELLO',
        transport: Transport.TCP,
        options: { host: '127.0.0.1', port: Number(HELLO_RPC_PORT) },
      },
      {
        name: 'UNIVERSITIES',
        transport: Transport.TCP,
        options: { host: '127.0.0.1', port: Number(UNIVERSITIES_RPC_PORT) },
      },
    ]),
  ],
  controllers: [HealthController, GatewayController, UniversitiesGatewayController],
  providers: [GatewayService],
})
export class GatewayModule {}
