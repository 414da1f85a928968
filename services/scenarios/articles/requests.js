// The requests of the scenario, for load.js and verify.js. The first title of a list that is posted
// begins with the first digit of the nonce and then digits of the nonce. They replace characters, so
// the size of the list stays the same. The first digit is posted as an escape: a service that does
// not read the list cannot answer it.
//
// Exports
//   getList, postList     the ordinary requests, with lists of the size of the load
//   wrongPosts            requests that must be refused
//   loadRequests          the requests of the load, with their shares
//   postedList(nonce)     the list that postList sends
//   explainWrong({ method, nonce }, body)
//                         null if a body is the right answer, else { expected, got }
//   isEqual(body, list)   whether a body is JSON of the same value as a list
import { articleList } from './articles.js';
import { controlShare } from './lib/controls.js';
import { parameters } from './lib/profiles.js';

const SIZE_BYTES = parameters.size_bytes;
// Serialisers may put spaces after commas and colons, but must not pad.
const BYTES = [SIZE_BYTES, Math.floor(SIZE_BYTES * 1.25)];
const POST_SHARE = parameters.post_percent / 100;
const EXPECTED_MS = 5;
const JSON_TYPE = 'application/json';
const NONCE_DIGITS = 16;
// Wrong lists of each sort: each has its fault in another place.
const WRONG_LISTS = 6;
const SHOWN_CHARACTERS = 300;

const list = articleList(SIZE_BYTES);
const [{ title }] = list.articles;
const digits = Math.min(title.length - 1, NONCE_DIGITS);
const expected = JSON.stringify(list);

function withTitle(first) {
  const [article, ...others] = list.articles;
  return { ...list, articles: [{ ...article, title: first }, ...others] };
}

const post = {
  method: 'POST',
  path: '/articles?nonce={nonce}',
  headers: { 'Content-Type': JSON_TYPE },
};

const restOfTitle = `{nonce:${digits}}${title.slice(digits + 1)}`;
const posted = JSON.stringify(withTitle(`{nonce:1:escaped}${restOfTitle}`));

export const getList = {
  path: `/articles/${SIZE_BYTES}?nonce={nonce}`,
  expect: { status: 200, type: JSON_TYPE, bytes: BYTES },
};

export const postList = {
  ...post,
  body: posted,
  expect: { status: 200, type: JSON_TYPE, bytes: BYTES, contains: `{nonce:1}{nonce:${digits}}` },
};

function pick(items) {
  return items[Math.floor(Math.random() * items.length)];
}

// Returns the list as text that is not valid JSON: cut off, or without a colon. No comma is removed,
// because kotlinx.serialization accepts an object that lacks a comma.
function broken(index) {
  if (index % 2 === 0) {
    return posted.slice(0, 1 + Math.floor(Math.random() * (posted.length - 1)));
  }
  const { index: start } = pick([...posted.matchAll(/":/g)]);
  return posted.slice(0, start + 1) + posted.slice(start + 2);
}

const WRONG_VALUES = [
  (article) => ({ ...article, title: [] }),
  (article) => ({ ...article, favoritesCount: {} }),
  (article) => ({ ...article, author: [1] }),
  (article) => ({ ...article, tagList: 'dragons' }),
  (article) => ({ ...article, body: [] }),
  (article) => article.title.length,
];

// Returns the list with a value of a wrong type in one of its articles.
function wronglyTyped(index) {
  const articles = JSON.parse(posted).articles;
  const number = Math.floor(Math.random() * articles.length);
  articles[number] = WRONG_VALUES[index](articles[number]);
  return JSON.stringify({ ...list, articles });
}

export const wrongPosts = Array.from({ length: WRONG_LISTS }, (_, index) => [
  broken(index),
  wronglyTyped(index),
])
  .flat()
  .map((body) => ({ ...post, isControl: true, body, expect: { status: [400, 499] } }));

function shareLoad() {
  if (POST_SHARE === 0) {
    return [getList];
  }
  const wrongShare = POST_SHARE * controlShare(EXPECTED_MS);
  const share = wrongShare / wrongPosts.length;
  const wrong = wrongPosts.map((kind) => ({ ...kind, share }));
  // The other lists have no share: they get the rest.
  return POST_SHARE === 1
    ? [postList, ...wrong]
    : [getList, { ...postList, share: POST_SHARE - wrongShare }, ...wrong];
}

export const loadRequests = shareLoad();

export function postedList(nonce) {
  return withTitle(nonce.slice(0, 1) + nonce.slice(0, digits) + title.slice(digits + 1));
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
