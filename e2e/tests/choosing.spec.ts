/**
 * Five questions of architects, from the home page with the example data: each leads in at most
 * three clicks and 60 s to a right and qualified answer, or to the run that would give it.
 */
import { expect, type Page, test } from './watched';

const MOST_CLICKS = 3;
const MOST_MS = 60_000;

interface Walk {
  question: string;
  /** The headline. */
  answer: RegExp;
  /** How sure it is, what speaks against it, and what is missing. */
  qualified: readonly RegExp[];
  /** The machine of the results that decided. */
  host?: string;
  /** The run that gives the answer, or decides more; null if nothing is missing. */
  run: { label: RegExp; cells: number; parameters?: Record<string, number> } | null;
}

const WALKS: readonly Walk[] = [
  {
    question: 'Spring MVC with virtual threads or WebFlux at 500 req/s in front of a 1 s upstream?',
    answer: /^No recommendation: none of the frameworks has a usable result for latency p99\.$/,
    qualified: [
      /Spring MVC \(virtual threads\) is not measured\./,
      /Spring WebFlux is only measured under other conditions\./,
    ],
    run: {
      // Without Java 21 or Docker, only one of them can run here. Then the answer shows why.
      label: /^Measure (1 missing result|2 missing results)$/,
      cells: 2,
      parameters: { rate_rps: 500, delay_ms: 1000 },
    },
  },
  {
    question: 'NestJS, Go Micro or Spring: which needs least CPU behind a gateway?',
    answer: /^Choose NestJS: it uses the least CPU per request, 1\.46× less than Go Micro\.$/,
    qualified: [
      /NestJS: 19\.7\sms \[17\.3, 22\.3\]\./,
      /Go Micro uses 1\.46× \[1\.23, 1\.74\] and Spring MVC 1\.61× \[1\.30, 2\.01\] more\./,
      /Differences above [\d.]+ % are detectable on this host\./,
      /By memory peak, Go Micro is better: .* which is 3\.04×/,
    ],
    host: 'vm (example 3)',
    run: null,
  },
  {
    question: 'Which starts fastest: Spring, Quarkus or Vert.x?',
    answer: /^Choose Vert\.x of the 2 measured: it is fastest to boot, 1\.31× faster than Quarkus/,
    qualified: [
      /Quarkus REST is 1\.31× \[1\.24, 1\.38\] slower\./,
      /Its results have warnings: host busy\./,
      /Spring WebFlux is not measured\./,
    ],
    host: 'vm (example 2)',
    run: { label: /^Measure 3 results here$/, cells: 3 },
  },
  {
    question: 'Spring, Quarkus or Node.js in front of a slow third party?',
    answer: /^No recommendation: none of the frameworks has a usable result for latency p99\.$/,
    qualified: [
      /Quarkus REST is not measured\./,
      /Spring WebFlux and Node\.js are excluded: steadiness not tested\./,
    ],
    run: { label: /^Measure 8 missing results$/, cells: 8, parameters: { delay_ms: 1000 } },
  },
  {
    question: 'Node.js, Go or FastAPI: which costs least for a bare request?',
    answer: /^No recommendation: none of the frameworks has a usable result for CPU per request\.$/,
    qualified: [/Node\.js, Go net\/http and FastAPI are excluded: steadiness not tested\./],
    run: { label: /^Measure 3 missing results$/, cells: 3 },
  },
];

test.beforeAll(async ({ request }) => {
  test.setTimeout(300_000);
  const loaded = await request.put('/api/v1/examples', { timeout: 120_000 });
  expect(loaded.ok()).toBe(true);
});

// Other tests begin without it.
test.afterAll(async ({ request }) => {
  const removed = await request.delete('/api/v1/examples', { timeout: 120_000 });
  expect(removed.ok()).toBe(true);
});

for (const { question, answer, qualified, host, run } of WALKS) {
  test(`an architect asks: ${question}`, async ({ page }) => {
    test.setTimeout(MOST_MS);
    let clicks = 0;
    const click = async (role: 'link' | 'button', name: string | RegExp) => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).click();
    };
    await page.goto('/');
    await click('link', 'Which framework should I choose?');
    await click('link', question);
    const found = page.getByRole('region', { name: 'Answer' });
    await expect(found.getByRole('heading', { level: 2 })).toHaveText(answer);
    for (const sentence of qualified) await expect(found).toContainText(sentence);
    if (host !== undefined) await expect(page.getByText(`Measured on ${host}.`)).toBeVisible();
    const cannotRun = found.getByText(/cannot run here: .+ is missing; install it/);
    if (run === null) {
      await expect(found.getByRole('button')).toHaveCount(0);
    } else {
      const blocked = await cannotRun.count();
      const plan = await readPlan(page, () => click('button', run.label));
      expect(plan.trials).toBe(5);
      expect(plan.cells).toHaveLength(run.cells - blocked);
      for (const { parameters } of plan.cells)
        expect(parameters).toMatchObject(run.parameters ?? {});
    }
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  });
}

interface Plan {
  trials: number;
  cells: { parameters: Record<string, number> }[];
}

/** Returns the plan of the run that a click queues, after its page has opened, and cancels it. */
async function readPlan(page: Page, measure: () => Promise<void>): Promise<Plan> {
  const queued = page.waitForRequest(
    (sent) => sent.method() === 'POST' && new URL(sent.url()).pathname === '/api/v1/runs',
  );
  await measure();
  const plan = (await queued).postDataJSON() as Plan;
  await expect(page).toHaveURL(/\/r\/[0-9a-z]{10}$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const slug = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const cancelled = await page.request.post(`/api/v1/runs/${slug}/cancel`);
  expect(cancelled.ok()).toBe(true);
  return plan;
}
