// People list the articles of a collection and read one; every tenth also writes one.
import { check, group } from 'k6';
import encoding from 'k6/encoding';
import http from 'k6/http';
import { Trend } from 'k6/metrics';

const base = `${__ENV.BASE_URL}/v1`;
const articles = `${base}/buckets/blog/collections/articles/records`;
const headers = {
  Authorization: `Basic ${encoding.b64encode('ada:secret')}`,
  'Content-Type': 'application/json',
};
const listing = new Trend('list_ms', true);

export const options = {
  scenarios: {
    readers: {
      executor: 'constant-arrival-rate',
      rate: 10,
      duration: '40s',
      preAllocatedVUs: 20,
    },
  },
  thresholds: { checks: ['rate>0.99'], list_ms: ['p(95)<500'] },
};

export function setup() {
  const send = (method, url, data) =>
    check(http.request(method, url, JSON.stringify({ data }), { headers }), {
      'is created': ({ status }) => status === 201,
    });
  send('PUT', `${base}/accounts/ada`, { password: 'secret' });
  send('PUT', `${base}/buckets/blog`, {});
  send('PUT', `${base}/buckets/blog/collections/articles`, {});
  for (let number = 0; number < 50; number += 1) {
    send('PUT', `${articles}/article-${number}`, { title: `Article ${number}`, views: number });
  }
}

export default function () {
  group('read', () => {
    const list = http.get(`${articles}?_sort=-views&_limit=20`, { headers });
    listing.add(list.timings.duration);
    check(list, { 'lists 20 articles': (response) => response.json('data').length === 20 });
    const one = http.get(`${articles}/article-${__ITER % 50}`, { headers });
    check(one, { 'has its title': (response) => response.json('data.title') !== undefined });
  });
  if (__ITER % 10 === 0) {
    const url = `${articles}/article-${__ITER % 50}`;
    const written = http.patch(url, JSON.stringify({ data: { views: __ITER } }), { headers });
    check(written, { 'is written': ({ status }) => status === 200 });
  }
}
