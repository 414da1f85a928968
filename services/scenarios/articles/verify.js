import { randomSeed } from 'k6';

import { articleList } from './articles.js';
import { conformance, expect, get, random, send, sendTogether } from './lib/conformance.js';
import { expectContent, expectEach, expectGeneralContract } from './lib/contract.js';
import { drawRequest, drawRequests } from './lib/kinds.js';
import { freshNonce } from './lib/nonces.js';
import { seed } from './lib/profiles.js';
import { explainWrong, getList, isEqual, postList, wrongPosts } from './requests.js';

export { options } from './lib/conformance.js';

const JSON_TYPE = 'application/json';
const headers = { 'Content-Type': JSON_TYPE };
const SHOWN_CHARACTERS = 300;
// Serialisers may put spaces after commas and colons, but must not pad.
const LONGEST_FACTOR = 1.25;
const FRAGMENTS = ['tacho', 'Grüße', '日本', '🚗', '"', '\\', '/', '\n', '\t', '<&>', "'", ' '];

function shown(body) {
  return JSON.stringify(String(body).slice(0, SHOWN_CHARACTERS));
}

// ── Random lists ─────────────────────────────────────────────────────────────────────────────

function someText() {
  return Array.from(
    { length: random(0, 8) },
    () => `${FRAGMENTS[random(0, FRAGMENTS.length - 1)]}${random(0, 999)}`,
  ).join('');
}

function someAuthor() {
  return {
    username: someText(),
    bio: someText(),
    image: someText(),
    following: random(0, 1) === 1,
  };
}

const FIELDS = {
  slug: someText,
  description: someText,
  body: someText,
  tagList: () => Array.from({ length: random(0, 3) }, someText),
  createdAt: someText,
  updatedAt: someText,
  favorited: () => random(0, 1) === 1,
  favoritesCount: () => random(0, 1e9),
  author: someAuthor,
};

// An article with some of the optional fields.
function someArticle() {
  const names = Object.keys(FIELDS).filter(() => random(0, 3) > 0);
  const fields = names.map((name) => [name, FIELDS[name]()]);
  return { title: someText(), ...Object.fromEntries(fields) };
}

// An article whose every field is falsy: careless code drops such fields.
function emptyArticle() {
  const author = { username: '', bio: '', image: '', following: false };
  const texts = { slug: '', title: '', description: '', body: '', createdAt: '', updatedAt: '' };
  return { ...texts, tagList: [], favorited: false, favoritesCount: 0, author };
}

function listOf(articles) {
  return { articles, articlesCount: articles.length };
}

function someList() {
  return listOf([emptyArticle(), ...Array.from({ length: random(1, 5) }, someArticle)]);
}

// ── Spellings of one list ────────────────────────────────────────────────────────────────────

// White space between all tokens; letters and slashes as escapes.
function spellOddly(value) {
  const space = () => [' ', '\n', '\t', '\r\n  ', '    '][random(0, 4)];
  const wrap = (open, parts, close) => `${open}${space()}${parts.join(`${space()},${space()}`)}${space()}${close}`;
  if (Array.isArray(value)) {
    return wrap('[', value.map(spellOddly), ']');
  }
  if (value !== null && typeof value === 'object') {
    const pairs = Object.entries(value).map(
      ([key, item]) => `${escapeOddly(key)}${space()}:${space()}${spellOddly(item)}`,
    );
    return wrap('{', pairs, '}');
  }
  return typeof value === 'string' ? escapeOddly(value) : JSON.stringify(value);
}

function escapeOddly(text) {
  const units = Array.from({ length: text.length }, (_, index) => {
    const code = text.charCodeAt(index);
    return code === 0x2f ? '\\/' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${units.join('')}"`;
}

// The keys of each object in reverse order.
function reversed(value) {
  if (Array.isArray(value)) {
    return value.map(reversed);
  }
  if (value !== null && typeof value === 'object') {
    const pairs = Object.entries(value).map(([key, item]) => [key, reversed(item)]);
    return Object.fromEntries(pairs.reverse());
  }
  return value;
}

// ── Checks ───────────────────────────────────────────────────────────────────────────────────

function somePath() {
  return `/articles?nonce=${freshNonce()}`;
}

function post(body) {
  return send('POST', somePath(), body, { headers });
}

function expectList(what, response, list) {
  expectContent(what, [response], JSON_TYPE);
  expect(`${what} answers the right list`, {
    expected: shown(JSON.stringify(list)),
    got: shown(response.body),
    passed: isEqual(response.body, list),
  });
}

function countBytes(text) {
  return encodeURIComponent(text).replace(/%../g, '_').length;
}

function expectSize(what, sizeBytes) {
  const response = get(`/articles/${sizeBytes}?nonce=${freshNonce()}`);
  expectList(what, response, articleList(sizeBytes));
  const bytes = countBytes(response.body || '');
  const most = Math.floor(sizeBytes * LONGEST_FACTOR);
  expect(`${what} answers that many bytes`, {
    expected: `${sizeBytes} to ${most} bytes`,
    got: `${bytes} bytes`,
    passed: bytes >= sizeBytes && bytes <= most,
  });
}

function expectPosted() {
  const list = someList();
  const plain = post(JSON.stringify(list));
  expectList('POST /articles', plain, list);
  const odd = post(spellOddly(list));
  expectList('POST /articles with white space and escapes', odd, list);
  expect('POST /articles writes anew what it has read', {
    expected: `the same bytes for two spellings of one list: ${shown(plain.body)}`,
    got: shown(odd.body),
    passed: plain.status === 200 && plain.body === odd.body,
  });
  const reordered = post(JSON.stringify(reversed(list)));
  expectList('POST /articles with keys in another order', reordered, list);
}

const UNKNOWN = 'unknownField';

function withoutUnknown(list) {
  const known = ({ [UNKNOWN]: _, ...rest }) => rest;
  return { ...known(list), articles: list.articles.map(known) };
}

// Returns the list of a body without its unknown fields, or null if it is not a list.
function readKnown(body) {
  try {
    return withoutUnknown(JSON.parse(body));
  } catch (error) {
    return null;
  }
}

function expectUnknownAccepted() {
  const list = listOf([{ ...someArticle(), [UNKNOWN]: someText() }]);
  const response = post(JSON.stringify({ ...list, [UNKNOWN]: [1, { two: 2 }] }));
  const known = withoutUnknown(list);
  expect('POST /articles with unknown fields is answered, with them or without', {
    expected: `status 200, ${shown(JSON.stringify(known))}`,
    got: `status ${response.status}, ${shown(response.body)}`,
    passed: response.status === 200 && isEqual(JSON.stringify(readKnown(response.body)), known),
  });
}

function expectRefused(what, named) {
  const responses = named.map(([, body]) => post(body));
  expectEach(what, {
    expected: '4xx',
    of: responses.map(({ status }, index) => ({ status, what: named[index][0] })),
    isRight: ({ status }) => status >= 400 && status < 500,
    show: ({ what: kind, status }) => `${kind}: ${status}`,
  });
}

function expectWrongRefused() {
  const article = { ...someArticle(), title: 'a title' };
  const broken = JSON.stringify(listOf([article])).slice(0, -random(2, 9));
  const wrong = {
    'no JSON': broken,
    'text for the list': JSON.stringify({ articles: 'none', articlesCount: 1 }),
    'a number for an article': JSON.stringify(listOf([random(1, 99)])),
    'a list for a title': JSON.stringify(listOf([{ ...article, title: [] }])),
    'an object for a count': JSON.stringify(listOf([{ ...article, favoritesCount: {} }])),
    'a list for an author': JSON.stringify(listOf([{ ...article, author: [1] }])),
    'text for the tags': JSON.stringify(listOf([{ ...article, tagList: 'dragons' }])),
  };
  expectRefused('POST /articles refuses what is not a list of articles', Object.entries(wrong));
}

function expectOwnAnswers() {
  const lists = Array.from({ length: random(8, 16) }, someList);
  const responses = sendTogether(
    lists.map((list) => ({
      method: 'POST',
      path: somePath(),
      body: JSON.stringify(list),
      headers,
    })),
  );
  expectEach('each of some POST /articles sent together answers its own list', {
    expected: 'status 200, the list that was sent',
    of: responses.map(({ status, body }, index) => ({ status, body, list: lists[index] })),
    isRight: ({ status, body, list }) => status === 200 && isEqual(body, list),
    show: ({ status, body }) => `status ${status}, ${shown(body)}`,
  });
}

// Sends the requests of the load at the same time: lists to get, lists to post, wrong lists.
function expectLoadsRequests(count) {
  const requests = [...drawRequests(getList, count), ...drawRequests(postList, count)];
  const wrong = wrongPosts.map((kind) => drawRequest(kind));
  const responses = sendTogether([...requests, ...wrong]);
  const ordinary = responses.slice(0, requests.length);
  const what = 'each of some requests of the load, sent together,';
  expectContent(what, ordinary, JSON_TYPE);
  expectEach(`${what} answers the right list`, {
    expected: 'the list of the size of the load, or the list that was posted',
    of: ordinary.map(({ body }, index) => explainWrong(requests[index], body)),
    isRight: (wrongness) => wrongness === null,
    show: (wrongness) =>
      wrongness === null ? 'the right list' : `${wrongness.got}, should be ${wrongness.expected}`,
  });
  const [least, most] = getList.expect.bytes;
  expectEach(`${what} answers that many bytes`, {
    expected: `${least} to ${most} bytes`,
    of: ordinary.map(({ body }) => countBytes(body || '')),
    isRight: (bytes) => bytes >= least && bytes <= most,
    show: (bytes) => `${bytes} bytes`,
  });
  expectEach('a wrong list among other requests is refused', {
    expected: '4xx',
    of: responses.slice(requests.length),
    isRight: ({ status }) => status >= 400 && status < 500,
    show: ({ status }) => `status ${status}`,
  });
}

function verifyBefore() {
  randomSeed(seed);
  expectGeneralContract('/articles/1000');
  expectSize('GET of the smallest list', 50);
  expectSize('GET of a small list', random(51, 999));
  expectSize('GET of a long list', random(1000, 20000));
  expectPosted();
  expectUnknownAccepted();
  expectWrongRefused();
  expectOwnAnswers();
  expectLoadsRequests(random(4, 6));
  expectSize('GET after POST', random(1000, 5000));
}

function verifyAfter() {
  randomSeed(seed);
  expectGeneralContract('/articles/1000');
  expectSize('GET of a list of another size', random(1000, 20000));
  expectPosted();
  expectWrongRefused();
  expectLoadsRequests(2);
}

export default conformance(verifyBefore, verifyAfter);
