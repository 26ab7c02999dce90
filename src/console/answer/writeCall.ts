import type { TickRequestBody } from '../../contract/tickForecast.ts';
import type { Thresholds } from '../Thresholds.ts';

export type CallLanguage = 'curl' | 'typescript' | 'python';

export type CallParts = Thresholds & {
  /** Origin of the service, without a path. */
  readonly url: string;
  /** Null: the sample's answer, which needs neither key nor body. */
  readonly body: TickRequestBody | null;
  /** Leaves out the middle of long lists, for the screen. Such a text does not run. */
  readonly isShort: boolean;
};

const SHOWN_AT_EACH_END = 2;

function listText(values: readonly (string | number)[], isShort: boolean): string {
  const texts = values.map((value) => JSON.stringify(value));
  const left = texts.length - 2 * SHOWN_AT_EACH_END;
  if (!isShort || left < 2) return `[${texts.join(', ')}]`;
  return `[${texts.slice(0, SHOWN_AT_EACH_END).join(', ')}, … ${left} more …, ${texts.slice(-SHOWN_AT_EACH_END).join(', ')}]`;
}

const bodyLines = ({ Timestamp, Price }: TickRequestBody, isShort: boolean): readonly [string, string] => [
  `"Timestamp": ${listText(Timestamp, isShort)}`,
  `"Price": ${listText(Price, isShort)}`,
];

function pathOf({ body, minMoveBps, minProbability }: CallParts): string {
  if (body === null) return '/sample/forecast';
  const least = minProbability === undefined ? '' : `&min_probability=${minProbability}`;
  return `/auth/ti-tick?detail=full${minMoveBps === null ? '' : `&min_move_bps=${minMoveBps}`}${least}`;
}

function writeCurl(parts: CallParts): string {
  const url = `'${parts.url}${pathOf(parts)}'`;
  if (parts.body === null) return `curl -s ${url}`;
  const [stamps, prices] = bodyLines(parts.body, parts.isShort);
  // On standard input: 3000 ticks are longer than some systems let an argument be.
  return [
    `curl -s ${url} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H "Api-Key: $TICKMARK_KEY" \\`,
    `  --data-binary @- <<'JSON'`,
    `{ ${stamps},`,
    `  ${prices} }`,
    'JSON',
  ].join('\n');
}

function writeTypeScript(parts: CallParts): string {
  const head = ["import { TickmarkClient } from 'tickmark-client';", ''];
  if (parts.body === null)
    return [...head, `const client = new TickmarkClient({ baseUrl: '${parts.url}' });`, 'console.log(await client.sampleForecast());'].join(
      '\n',
    );
  const [stamps, prices] = bodyLines(parts.body, parts.isShort);
  const { minMoveBps, minProbability } = parts;
  const least = minProbability === undefined ? '' : `, minProbability: ${minProbability}`;
  const threshold = `${minMoveBps === null ? '' : `, minMoveBps: ${minMoveBps}`}${least}`;
  return [
    "import { env } from 'node:process';",
    ...head,
    `const client = new TickmarkClient({ baseUrl: '${parts.url}', apiKey: env.TICKMARK_KEY });`,
    'const body = {',
    `  ${stamps},`,
    `  ${prices},`,
    '};',
    `const { trend_identified, detail } = await client.forecast(body, { detail: true${threshold} });`,
    'console.log(trend_identified, detail);',
  ].join('\n');
}

function writePython(parts: CallParts): string {
  const url = JSON.stringify(parts.url);
  const head = 'from tickmark import Tickmark';
  if (parts.body === null) return [head, '', `print(Tickmark(${url}).sample_forecast())`].join('\n');
  const [stamps, prices] = bodyLines(parts.body, parts.isShort);
  const { minMoveBps, minProbability } = parts;
  const least = minProbability === undefined ? '' : `, min_probability=${minProbability}`;
  const threshold = `${minMoveBps === null ? '' : `, min_move_bps=${minMoveBps}`}${least}`;
  return [
    'import os',
    head,
    '',
    `client = Tickmark(${url}, os.environ["TICKMARK_KEY"])`,
    'body = {',
    `    ${stamps},`,
    `    ${prices},`,
    '}',
    `forecast = client.forecast(body, detail=True${threshold})`,
    'print(forecast.trend_identified, forecast.detail)',
  ].join('\n');
}

const WRITERS: Readonly<Record<CallLanguage, (parts: CallParts) => string>> = {
  curl: writeCurl,
  typescript: writeTypeScript,
  python: writePython,
};

/** The call that was sent, as a program of its own; the key is never in it: it is read from the environment. */
export function writeCall(language: CallLanguage, parts: CallParts): string {
  return WRITERS[language](parts);
}
