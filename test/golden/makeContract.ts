/**
 * Records test/golden/contract.json: requests of POST /signup and POST /auth/ti-tick, and the answers of this version.
 * The contract of both is fixed: record again only to add requests, and require that no recorded answer changes:
 * `npx tsx test/golden/makeContract.ts`.
 */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { playAll, withContractService, type ContractSet, type RecordedRequest } from '../support/contractSet.ts';

/** Generated ticks as a body: `horizonS` after the last tick comes the future entry. */
function ticksText(seed: number, entries: number, horizonS: number, options: { regimeSpread?: number } = {}): string {
  const { timesUs, prices } = syntheticTicks({ seed, count: entries - 1, ...options });
  const lastUs = timesUs.at(-1)!;
  const stamps = [...timesUs, lastUs + horizonS * 1e6].map((us) => formatTimestamp(us));
  return JSON.stringify({ Timestamp: stamps, Price: [...prices, 0] });
}

const short = ticksText(1, 200, 60);
const { Timestamp, Price } = JSON.parse(short) as { Timestamp: string[]; Price: number[] };
const bases = {
  short,
  usual: ticksText(2, 501, 60),
  long: ticksText(3, 3001, 300),
  spaced: JSON.stringify({ Price, Timestamp }, null, 1),
  below: JSON.stringify({ Timestamp: Timestamp.slice(1), Price: Price.slice(1) }),
  above: ticksText(4, 3002, 60),
  zulu: JSON.stringify({ Timestamp: Timestamp.map((stamp) => `${stamp.replace(' ', 'T')}Z`), Price }),
  colon: JSON.stringify({ Timestamp: Timestamp.map((stamp) => stamp.replace('.', ':')), Price }),
  utc: JSON.stringify({ Timestamp: Timestamp.map((stamp) => `${stamp}+00:00`), Price }),
  micros: JSON.stringify({ Timestamp: Timestamp.map((stamp) => `${stamp}123`), Price }),
  nanos: JSON.stringify({ Timestamp: Timestamp.map((stamp) => `${stamp}123456`), Price }),
  equal: JSON.stringify({
    Timestamp: [...Timestamp.slice(0, 199).map((stamp, i) => (i % 2 ? Timestamp[i - 1] : stamp)), Timestamp[199]],
    Price,
  }),
  still: JSON.stringify({ Timestamp, Price: [...Price.slice(0, 199).fill(100), 0] }),
};

const json = { 'Content-Type': 'application/json' };
const account = { email: 'trader@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
const signUp = (name: string, body: unknown, headers: Record<string, string> = json): RecordedRequest => ({
  ...{ name: `sign-up: ${name}`, method: 'POST', path: '/signup', headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const tick = (
  name: string,
  base: string,
  replace: RecordedRequest['replace'] = [],
  query = '',
  headers: Record<string, string> = {},
): RecordedRequest => ({
  ...{ name: `forecast: ${name}`, method: 'POST', path: `/auth/ti-tick${query}`, headers: { ...json, 'Api-Key': '{key}', ...headers } },
  base,
  ...(replace.length === 0 ? {} : { replace }),
});
const raw = (name: string, body: string, headers: Record<string, string> = {}): RecordedRequest => ({
  ...{ name: `forecast: ${name}`, method: 'POST', path: '/auth/ti-tick', headers: { ...json, 'Api-Key': '{key}', ...headers } },
  body,
});

const stamp = (at: number): string => JSON.stringify(Timestamp[at]);
const price3 = `[${Price.slice(0, 3).join()},${Price[3]},`;
const priceAt3 = (literal: string): readonly [string, string] => [price3, `[${Price.slice(0, 3).join()},${literal},`];
const future = `,0]`;

const requests: RecordedRequest[] = [
  signUp('a new account', account),
  signUp('with a company', { ...account, email: 'fund@example.com', company_id: 'example-fund' }),
  signUp(
    'charset, spaces and other order',
    ` {"password":"batt\\u00e9ry staple 43","confirm_password":"batt\\u00e9ry staple 43",\n"email":"Third@Example.com"} `,
    {
      'Content-Type': 'application/json; charset=utf-8',
    },
  ),
  signUp('an e-mail that has an account', account),
  signUp('the same e-mail in capitals', { ...account, email: 'TRADER@example.com' }),
  signUp('an e-mail without a domain', { ...account, email: 'trader' }),
  signUp('a short password', { ...account, email: 'a@example.com', password: 'abc', confirm_password: 'abc' }),
  signUp('a long password', { ...account, email: 'a@example.com', password: 'a1'.repeat(513), confirm_password: 'a1'.repeat(513) }),
  signUp('another confirmation', { ...account, email: 'a@example.com', confirm_password: 'correct horse 43' }),
  signUp('no confirmation', { email: 'a@example.com', password: 'correct horse 42' }),
  signUp('an unknown field', { ...account, email: 'a@example.com', name: 'x' }),
  signUp('a number as e-mail', { ...account, email: 5 }),
  signUp('a list as password', { ...account, email: 'a@example.com', password: ['correct horse 42'] }),
  signUp('a long company', { ...account, email: 'a@example.com', company_id: 'c'.repeat(129) }),
  signUp('null as company', { ...account, email: 'a@example.com', company_id: null }),
  signUp('a list', []),
  signUp('an empty body', ''),
  signUp('broken JSON', '{"email": }'),
  signUp('a key twice', '{"email":"a@example.com","email":"b@example.com"}'),
  signUp('a form', 'email=a', { 'Content-Type': 'application/x-www-form-urlencoded' }),
  signUp('another encoding', 'x', { ...json, 'Content-Encoding': 'br' }),
  { ...signUp('a query parameter', account), path: '/signup?verbose=1' },
  { name: 'sign-up: GET', method: 'GET', path: '/signup', headers: {} },
  { name: 'sign-up: OPTIONS', method: 'OPTIONS', path: '/signup', headers: {} },

  tick('200 entries', 'short'),
  tick('501 entries', 'usual'),
  tick('3001 entries', 'long'),
  tick('spaces, prices first', 'spaced'),
  tick('T and Z', 'zulu'),
  tick('a colon before the fraction', 'colon'),
  tick('a trailing +00:00', 'utc'),
  tick('microseconds', 'micros'),
  tick('nanoseconds', 'nanos'),
  tick('equal timestamps', 'equal'),
  tick('a constant price', 'still'),
  tick('escapes in a timestamp', 'short', [['"Timestamp":["2', '"Timestamp":["\\u0032']]),
  tick('a price with an exponent', 'short', [priceAt3(`${Price[3]}e0`)]),
  tick('a price of 15 digits', 'short', [priceAt3('100.123456789012')]),
  tick('a price of 20 digits', 'short', [priceAt3('100.12345678901234567')]),
  tick('-0 as future price', 'short', [[future, ',-0]']]),
  tick('only the last entry', 'usual', [], '?answer=last'),
  tick('only the last entry, refused window', 'still', [], '?answer=last'),
  tick('a low threshold', 'usual', [], '?min_move_bps=0.5'),
  tick('a low threshold, only the last entry', 'usual', [], '?min_move_bps=0.5&answer=last'),
  tick('a high threshold', 'usual', [], '?min_move_bps=2.5e1&answer=last'),
  tick('a named version', 'short', [], '?model=small&answer=last'),
  tick('clock off', 'short', [], '?clock=off&answer=last'),
  tick('a series', 'short', [], '?series=eurusd&answer=last'),
  tick('charset', 'short', [], '', { 'Content-Type': 'Application/JSON; charset="UTF-8"' }),
  tick('a Basic header as well', 'short', [], '?answer=last', { Authorization: 'Basic dXNlcjpwYXNzd29yZA==' }),
  tick('an Origin', 'short', [], '?answer=last', { Origin: 'https://desk.example' }),

  tick('199 entries', 'below'),
  tick('3002 entries', 'above'),
  raw('no entries', '{"Timestamp":[],"Price":[]}'),
  raw('an empty object', '{}'),
  raw('no prices', '{"Timestamp":["2024-01-02 00:00:00.000"]}'),
  raw('prices only', '{"Price":[1,0]}'),
  raw('a text as timestamps', '{"Timestamp":"2024-01-02 00:00:00.000","Price":[1,0]}'),
  raw('null as prices', '{"Timestamp":[],"Price":null}'),
  raw('a list', '[]'),
  raw('a text', '"ticks"'),
  raw('an empty body', ''),
  raw('spaces only', '  '),
  raw('broken JSON', '{"Timestamp": [1,}'),
  raw('NaN', '{"Timestamp": [], "Price": [NaN]}'),
  raw('a key twice', '{"Price":[],"Price":[]}'),
  raw('deep nesting', '['.repeat(65)),
  tick('an unknown field', 'short', [['{', '{"Volume":[1],']]),
  tick('a field in lower case', 'short', [['"Price"', '"price"']]),
  tick('__proto__', 'short', [['{', '{"__proto__":{"x":1},']]),
  tick('one price too few', 'short', [[price3, `[${Price.slice(0, 2).join()},${Price[3]},`]]),
  tick('a negative price', 'short', [priceAt3('-1')]),
  tick('a zero price', 'short', [priceAt3('0')]),
  tick('a price of 1e12', 'short', [priceAt3('1e12')]),
  tick('a price beyond a double', 'short', [priceAt3('1e999')]),
  tick('a text as price', 'short', [priceAt3('"1"')]),
  tick('null as price', 'short', [priceAt3('null')]),
  tick('several bad prices', 'short', [priceAt3('0'), [`,${Price[198]},0]`, `,-5,7]`]]),
  tick('a future price', 'short', [[future, ',5]']]),
  tick('a future price in words', 'short', [[future, ',null]']]),
  tick('a step back', 'short', [[stamp(7), stamp(0)]]),
  tick('a future that is not later', 'short', [[stamp(199), stamp(198)]]),
  tick('a day that does not exist', 'short', [[stamp(7), '"2024-02-30 00:00:00.000"']]),
  tick('a leap second', 'short', [[stamp(7), '"2024-01-02 23:59:60"']]),
  tick('the year 1969', 'short', [[stamp(0), '"1969-12-31 23:59:59"']]),
  tick('the year 2200', 'short', [[stamp(199), '"2200-01-01 00:00:00"']]),
  tick('ten digits of fraction', 'short', [[stamp(7), '"2024-01-02 00:00:03.1234567890"']]),
  tick('a comma before the fraction', 'short', [[stamp(7), '"2024-01-02 00:00:03,123"']]),
  tick('a lower-case z', 'short', [[stamp(7), '"2024-01-02T00:00:03z"']]),
  tick('a word as timestamp', 'short', [[stamp(7), '"yesterday"']]),
  tick('a number among texts', 'short', [[stamp(7), '1704153603000']]),
  tick('null as timestamp', 'short', [[stamp(7), 'null']]),
  tick('an unknown query parameter', 'short', [], '?verbose=1'),
  tick('a parameter twice', 'short', [], '?answer=last&answer=last'),
  tick('an unknown answer', 'short', [], '?answer=full'),
  tick('a threshold of 0', 'short', [], '?min_move_bps=0'),
  tick('a threshold above the maximum', 'short', [], '?min_move_bps=10001'),
  tick('a threshold in words', 'short', [], '?min_move_bps=abc'),
  tick('an empty threshold', 'short', [], '?min_move_bps='),
  tick('an unknown version', 'short', [], '?model=none'),
  tick('a bad series', 'short', [], '?series=a%20b'),
  tick('no key', 'short', [], '', { 'Api-Key': '' }),
  tick('a key that does not exist', 'short', [], '', { 'Api-Key': 'tkm_live_unknown' }),
  { ...tick('no Api-Key header', 'short'), headers: json },
  { ...tick('only a Basic header', 'short'), headers: { ...json, Authorization: 'Basic dXNlcjpwYXNzd29yZA==' } },
  tick('a text media type', 'short', [], '', { 'Content-Type': 'text/plain' }),
  tick('UTF-16', 'short', [], '', { 'Content-Type': 'application/json; charset=utf-16' }),
  tick('another encoding', 'short', [], '', { 'Content-Encoding': 'br' }),
  { name: 'forecast: GET', method: 'GET', path: '/auth/ti-tick', headers: { 'Api-Key': '{key}' } },
  { name: 'forecast: PUT', method: 'PUT', path: '/auth/ti-tick', headers: { ...json, 'Api-Key': '{key}' }, body: '{}' },
  { name: 'forecast: OPTIONS', method: 'OPTIONS', path: '/auth/ti-tick', headers: {} },
  tick('another path', 'short', [], '/'),
];

const answers = await withContractService(undefined, (rig) => playAll(rig, requests, bases));
const set: ContractSet = { bases, exchanges: requests.map((request, i) => ({ request, answer: answers[i] })) };
writeFileSync(path.join(import.meta.dirname, 'contract.json'), `${JSON.stringify(set, null, 1)}\n`);
process.stdout.write(`${requests.length} exchanges\n`);
