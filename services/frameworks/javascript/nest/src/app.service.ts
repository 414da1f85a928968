import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

@Injectable()
export class AppService {
  constructor(private readonly httpService: HttpService) {}

  getHello(): string {
    return 'Hello World!';
  }

  async callUpstream(nonce: string): Promise<string> {
    const { data } = await firstValueFrom(
      this.httpService.get<string>(process.env.UPSTREAM_URL!, {
        params: { nonce },
        responseType: 'text', // axios would parse a number as JSON
      }),
    );
    return data;
  }
}
