import { articleList, countArticles, slugOf } from './articles.js';
import { loadOptions, parameters } from './lib/profiles.js';
import { plainGet, request } from './lib/request.js';

const { size_bytes: sizeBytes, post_percent: postPercent } = parameters;
const GET_PATH = `/articles/${sizeBytes}`;
const list = articleList(sizeBytes);
const sent = JSON.stringify(list);
const headers = { 'Content-Type': 'application/json' };

// A string that every correct response contains, independent of spacing and order.
const [first] = list.articles;
const inside = first.slug ? slugOf(countArticles(sizeBytes)) : first.title;

function isRight({ status, body }) {
  return status === 200 && body.length >= sizeBytes && body.includes(`"${inside}"`);
}

function sendEither() {
  if (Math.random() * 100 < postPercent) {
    request('/articles', { method: 'POST', body: sent, headers, isRight });
  } else {
    request(GET_PATH, { isRight });
  }
}

const load =
  postPercent === 0
    ? plainGet(GET_PATH, { body: new RegExp(`^[^{]*\\{[\\s\\S]*"${inside}"[\\s\\S]*\\}\\s*$`) })
    : { options: loadOptions(), run: sendEither };

export const { options } = load;

export default load.run;
