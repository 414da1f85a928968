/** A live page whose connection to the server is cut and restored. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, test } from './watched';
import { photograph } from './looks';

/** Forwards bytes to the real server, until a call cuts all connections and refuses new ones. */
class Line {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private readonly server: Server;

  constructor(target: URL) {
    this.server = createServer((client) => {
      if (this.isCut) {
        client.destroy();
        return;
      }
      const upstream = connect(Number(target.port || 80), target.hostname);
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => this.sockets.delete(socket));
      }
      client.pipe(upstream).pipe(client);
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  restore(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}

const CUT_SECONDS = 5;

test('a lost connection is shown, and resumed without a gap', async ({ page, baseURL }) => {
  test.setTimeout(180_000);
  const line = new Line(new URL(baseURL ?? ''));
  const url = await line.open();
  const asked = await page.request.post('/api/v1/runs', {
    data: {
      title: 'A line that drops',
      cells: [
        {
          framework: 'node',
          scenario: 'hello',
          parameters: { warm_up_seconds: 5, duration_seconds: 30 },
        },
      ],
      trials: 1,
    },
  });
  expect(asked.status()).toBe(202);
  const { permalink } = (await asked.json()) as { permalink: string };

  await page.goto(url + permalink);
  const chart = page.getByRole('img', { name: 'Throughput, last 60 seconds' });
  const points = async () => Number(await chart.getAttribute('data-points'));
  await expect(chart).toBeVisible({ timeout: 120_000 });
  await expect.poll(points).toBeGreaterThan(3);

  const [before, cutAt] = [await points(), Date.now()];
  line.cut();
  const notice = page.getByText('Live connection lost');
  await expect(notice).toBeVisible();
  await photograph(page, 'run-disconnected');
  await page.waitForTimeout(Math.max(0, CUT_SECONDS * 1000 - (Date.now() - cutAt)));
  line.restore();

  await expect(notice).toBeHidden({ timeout: 15_000 });
  await expect
    .poll(async () => (await points()) - before - (Date.now() - cutAt) / 1000, { timeout: 8000 })
    .toBeGreaterThan(-2);
  await expect(page.getByRole('heading', { name: 'Environment' })).toBeVisible({ timeout: 60_000 });
  line.close();
});
