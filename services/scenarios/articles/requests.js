// The requests of the scenario, for load.js and verify.js. A list that is posted begins with digits
// of the nonce: they replace the beginning of its first title, so its size stays the same.
//
// Exports
//   getList, postList     the ordinary requests, with lists of the size of the load
//   wrongPosts            requests that must be refused
//   postedList(nonce)     the list that postList sends
//   explainWrong({ method, nonce }, body)
//                         null if a body is the right answer, else { expected, got }
//   isEqual(body, list)   whether a body is JSON of the same value as a list
import { articleList } from './articles.js';
import { parameters } from './lib/profiles.js';

const SIZE_BYTES = parameters.size_bytes;
// Serialisers may put spaces after commas and colons, but must not pad.
const BYTES = [SIZE_BYTES, Math.floor(SIZE_BYTES * 1.25)];
const NONCE_DIGITS = 16;
const CUT_OFF_CHARACTERS = 3;
const SHOWN_CHARACTERS = 300;

const list = articleList(SIZE_BYTES);
const [{ title }] = list.articles;
const digits = Math.min(title.length, NONCE_DIGITS);
const expected = JSON.stringify(list);

function withTitle(first) {
  const [article, ...others] = list.articles;
  return { ...list, articles: [{ ...article, title: first }, ...others] };
}

const post = {
  method: 'POST',
  path: '/articles?nonce={nonce}',
  headers: { 'Content-Type': 'application/json' },
};

const posted = JSON.stringify(withTitle(`{nonce:${digits}}${title.slice(digits)}`));

export const getList = {
  path: `/articles/${SIZE_BYTES}?nonce={nonce}`,
  expect: { status: 200, bytes: BYTES },
};

export const postList = {
  ...post,
  body: posted,
  expect: { status: 200, bytes: BYTES, contains: `{nonce:${digits}}` },
};

export const wrongPosts = [
  posted.slice(0, -CUT_OFF_CHARACTERS),
  JSON.stringify(withTitle(['{nonce}'])),
].map((body) => ({ ...post, isControl: true, body, expect: { status: [400, 499] } }));

export function postedList(nonce) {
  return withTitle(nonce.slice(0, digits) + title.slice(digits));
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch (error) {
    return undefined;
  }
}

// Returns equal texts for equal values: keys are sorted.
function meaning(value) {
  if (Array.isArray(value)) {
    return `[${value.map(meaning).join()}]`;
  }
  if (value !== null && typeof value === 'object') {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${meaning(value[key])}`).join()}}`;
  }
  return JSON.stringify(value);
}

export function isEqual(body, right) {
  return meaning(parse(body)) === meaning(right);
}

// Returns the beginnings of two texts, from a little before the place where they differ.
function showDifference(right, got) {
  let index = 0;
  while (index < right.length && right[index] === got[index]) {
    index += 1;
  }
  const show = (text) => `from character ${index}: ${text.slice(index, index + SHOWN_CHARACTERS)}`;
  return { expected: show(right), got: show(got) };
}

export function explainWrong({ method, nonce }, body) {
  const isPost = method === 'POST';
  const right = isPost ? postedList(nonce) : list;
  const text = isPost ? JSON.stringify(right) : expected;
  return body === text || isEqual(body, right) ? null : showDifference(text, String(body));
}
