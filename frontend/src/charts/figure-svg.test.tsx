import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
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
