import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

@Injectable()
export class AppService {
  constructor(private readonly httpService: HttpService) {}

  getHello(): string {
    return 'Hello World!';
  }

  async askUpstream(): Promise<string> {
    const { data } = await firstValueFrom(
      // As text, because axios would parse the number as JSON.
      this.httpService.get<string>(process.env.UPSTREAM_URL!, { responseType: 'text' }),
    );
    return data;
  }
}
