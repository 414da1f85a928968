import data from 'k6/x/data';

import { controlShare } from './lib/controls.js';
import { defineLoad } from './lib/load.js';
import {
  EXPECTED_MS,
  FILE,
  NO_TOKEN,
  REFUSALS,
  SIGNING,
  describeRequest,
  explainWrongRecords,
  groupByCountry,
  readAnswer,
  tokenFor,
} from './requests.js';
import { FILE_CHANGES } from './rules.js';

// Each country, with its records and, once they are needed, the records as JSON.
const countries = [...groupByCountry(JSON.parse(open(`${__ENV.TACHO_DATA}/${FILE}`)))].map(
  ([country, records]) => ({
    country,
    encoded: encodeURIComponent(country),
    records,
    recordsText: null,
    form: null, // see learnForm()
  }),
);

const pick = (items) => items[Math.floor(Math.random() * items.length)];

// The last request { nonce, token } whose token the service accepted.
let accepted = null;

function drawAccepted(nonce) {
  if (FILE_CHANGES) {
    data.keepChanging(FILE);
  }
  // A repeated nonce comes with the same country, so that a kept answer would do.
  const known = countries[parseInt(nonce.slice(0, 8), 16) % countries.length];
  return { known, country: known.encoded, user: nonce, token: tokenFor(nonce) };
}

const drawRefused = (makeToken) => () =>
  accepted === null
    ? null
    : { country: pick(countries).encoded, user: accepted.nonce, token: makeToken(accepted) };

const ordinary = {
  ...describeRequest(),
  expect: { status: 200, type: 'application/json', signing: SIGNING },
  draw: drawAccepted,
};

const refused = REFUSALS.map((refusal) => ({
  ...describeRequest({ hasToken: refusal !== NO_TOKEN }),
  share: controlShare(EXPECTED_MS) / REFUSALS.length,
  isControl: true,
  expect: { status: 401 },
  draw: drawRefused(refusal.makeToken),
}));

// Parsing a list takes much longer than comparing texts. So once an answer for a country is known to
// be right, its form is kept: the texts around the values that differ between right answers. An answer
// of the same form with right values has the same records. Returns null for an answer without a form.
function learnForm(body, values) {
  const places = Object.keys(values).map((name) => ({
    name,
    at: body.indexOf(values[name], name === 'stamp' ? body.indexOf('"stamp"') : 0),
    last: name === 'stamp' ? -1 : body.lastIndexOf(values[name]),
  }));
  // Each value must be there, and all but the stamp only once.
  if (places.some(({ at, last }) => at < 0 || (last >= 0 && last !== at))) {
    return null;
  }
  places.sort((place, other) => place.at - other.at);
  const begins = [0, ...places.map(({ name, at }) => at + values[name].length)];
  const ends = [...places.map(({ at }) => at), body.length];
  return {
    names: places.map(({ name }) => name),
    pieces: begins.map((begin, index) => body.slice(begin, ends[index])),
  };
}

// Compares the parts of the body one after another, because joining the right ones copies them.
function hasForm(body, { names, pieces }, values) {
  let end = 0;
  const isNext = (text) => {
    const begin = end;
    end += text.length;
    return body.slice(begin, end) === text;
  };
  const hasPart = (name, index) => isNext(pieces[index]) && isNext(values[name]);
  return names.every(hasPart) && isNext(pieces[names.length]) && end === body.length;
}

// The name of one record of the country changes all the time. The response must have a name that it
// had while the request was in flight.
function explainWrong({ known, response: { body, stamp, signature, sentMs, endMs } }) {
  const { index, names, original } = FILE_CHANGES
    ? data.possibleNames(known.country, sentMs, endMs)
    : { names: [] };
  const variants = names.length > 0 ? names.map((name) => ({ name })) : [{}];
  const isKnown = (name) => hasForm(body, known.form, { stamp, signature, ...name });
  if (known.form !== null && stamp[0] !== '0' && variants.some(isKnown)) {
    return null;
  }
  const { universities } = readAnswer({ body });
  const marked = Array.isArray(universities) ? universities[index] : undefined;
  const name = marked && names.length > 0 ? { name: marked.name } : {};
  if (marked && names.length > 0) {
    if (!names.includes(marked.name)) {
      const newest = names[names.length - 1];
      return { expected: `record ${index} with the name ${newest}`, got: marked.name };
    }
    marked.name = original;
  }
  known.recordsText = known.recordsText || JSON.stringify(known.records);
  const difference = explainWrongRecords(known.recordsText, universities);
  if (difference === null) {
    known.form = learnForm(body, { stamp, signature, ...name });
  }
  return difference;
}

export const { options, run } = defineLoad({
  requests: [ordinary, ...refused],
  expectedMs: EXPECTED_MS,
  sampleShare: 1,
  compare: ({ request: { values, nonce }, response }) => {
    accepted = { nonce, token: values.token };
    return explainWrong({ known: values.known, response });
  },
});

export default run;
