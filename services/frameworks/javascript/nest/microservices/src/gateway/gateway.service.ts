import { Inject, Injectable } from '@nestjs/common';
import { ClientProxy } from '@nestjs/microservices';
import type { Observable } from 'rxjs';
import type { SignedUniversities } from '../universities/university.js';

@Injectable()
export class GatewayService {
  constructor(
    @Inject('HELLO') private readonly hello: ClientProxy,
    @Inject('UNIVERSITIES') private readonly universities: ClientProxy,
  ) {}

  greet(name: string): Observable<string> {
    return this.hello.send<string>({ cmd: 'hello' }, name);
  }

  findUniversities(country: string, nonce: string): Observable<SignedUniversities> {
    return this.universities.send<SignedUniversities>({ cmd: 'universities' }, { country, nonce });
  }
}
