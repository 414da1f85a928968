import { MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { server } from '@/testing/api';
import { ChartFigure } from './ChartFigure';
import { drawFigure } from './figure-svg';
import { NOT_DRAWN } from './not-drawn';

const TEXT = {
  title: 'Latency by percentile',
  origin: {
    subject: 'Slow upstream',
    facts: ['400 req/s for 10 s', 'host bench-01', 'n = 5', '20 Nov 2026'],
    link: 'https://tacho.example.org/r/abc?a=1&b=2',
  },
  legend: [
    { name: 'Go <net/http>', colour: 0 },
    { name: 'Node.js', colour: 14, dash: '6 3' },
  ],
};

function draw(): Document {
  const { container } = render(
    <figure>
      <div data-figure-head>Head of the page</div>
      <button {...NOT_DRAWN}>Table</button>
      <p>Caption</p>
    </figure>,
  );
  const figure = container.querySelector('figure');
  if (figure === null) throw new Error('no figure');
  const svg = drawFigure(figure, TEXT, 'data:font/woff2;base64,');
  return new DOMParser().parseFromString(svg, 'text/xml');
}

it('names the subject, the run and the link in a saved picture', () => {
  const picture = draw();
  const words = picture.documentElement.textContent;
  expect(words).toContain('Latency by percentile');
  expect(words).toContain(
    'Slow upstream · 400 req/s for 10 s · host bench-01 · n = 5 · 20 Nov 2026',
  );
  expect(words).toContain('Go <net/http>');
  expect(picture.querySelector('a')?.getAttribute('href')).toBe(TEXT.origin.link);
  expect(picture.querySelectorAll('line[stroke-dasharray="6 3"]')).toHaveLength(1);
});

it('leaves out the controls of the page', () => {
  const words = draw().documentElement.textContent;
  expect(words).not.toContain('Table');
  expect(words).not.toContain('Head of the page');
});

it('saves a picture with title and font when SVG is pressed', async () => {
  const headers = { 'Content-Type': 'font/woff2' };
  server.use(http.get('*.woff2', () => new HttpResponse(new Uint8Array([1, 2, 3]), { headers })));
  const save = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:picture');
  render(
    <MantineProvider env="test">
      <ChartFigure
        {...TEXT}
        caption="Lower is better."
        filename="latency"
        table={() => ({ columns: [], rows: [] })}
        summary={() => ({ columns: [], rows: [] })}
      >
        <svg>
          <text>61 µs</text>
        </svg>
      </ChartFigure>
    </MantineProvider>,
  );
  await userEvent.click(screen.getByRole('button', { name: /save, copy or embed/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'SVG' }));
  await waitFor(() => expect(save).toHaveBeenCalledOnce());
  const [blob] = save.mock.calls[0] ?? [];
  save.mockRestore();
  const text = await (blob as Blob).text();
  const picture = new DOMParser().parseFromString(text, 'text/xml');
  expect(picture.documentElement.textContent).toContain(TEXT.title);
  expect(picture.querySelector('style')?.textContent).toContain('data:font/woff2;base64,AQID');
});
