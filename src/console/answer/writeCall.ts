import { CONE_LEVELS } from '../chart/Scene.ts';
import type { BarBody, TickBody } from '../../../clients/typescript/src/index.ts';
import { queryOf } from '../../../clients/typescript/src/Forecast.ts';
import type { RequestOptions } from '../../../clients/typescript/src/options.ts';
import type { FormOptions } from '../FormOptions.ts';

export type CallLanguage = 'curl' | 'typescript' | 'python';

export type CallParts = {
  readonly options: FormOptions;
  /** Origin of the service, without a path. */
  readonly url: string;
  /** Null: the sample's answer, which needs neither key nor body. */
  readonly body: TickBody | BarBody | null;
  /** Leaves out the middle of long lists, for the screen. Such a text does not run. */
  readonly isShort: boolean;
  /** The version; null: the default one. */
  readonly model: string | null;
};

const SHOWN_AT_EACH_END = 2;

function listText(values: readonly (string | number)[], isShort: boolean): string {
  const texts = values.map((value) => JSON.stringify(value));
  const left = texts.length - 2 * SHOWN_AT_EACH_END;
  if (!isShort || left < 2) return `[${texts.join(', ')}]`;
  return `[${texts.slice(0, SHOWN_AT_EACH_END).join(', ')}, … ${left} more …, ${texts.slice(-SHOWN_AT_EACH_END).join(', ')}]`;
}

const bodyLines = (body: TickBody | BarBody, isShort: boolean): readonly string[] =>
  Object.entries<(string | number)[]>(body).map(([name, values]) => `"${name}": ${listText(values, isShort)}`);

/** What the page asks for. */
const asked = (body: TickBody | BarBody, { options, model }: CallParts): RequestOptions => ({
  ...{ detail: true, ...options, range: CONE_LEVELS },
  ...('Close' in body ? { barTime: 'close' } : {}),
  ...(model === null ? {} : { model }),
});

function writeArguments(options: RequestOptions, write: (key: string, value: unknown) => string): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.map(([key, value]) => write(key, value)).join(', ');
}

const literal = (value: unknown, quote: string): string =>
  Array.isArray(value) ? `[${value.join(', ')}]` : typeof value === 'string' ? `${quote}${value}${quote}` : String(value);

const pathOf = (parts: CallParts): string =>
  parts.body === null ? '/sample/forecast' : `/auth/ti-tick?${queryOf(asked(parts.body, parts)).join('&')}`;

function writeCurl(parts: CallParts): string {
  const url = `'${parts.url}${pathOf(parts)}'`;
  if (parts.body === null) return `curl -s ${url}`;
  const lines = bodyLines(parts.body, parts.isShort);
  // On standard input: 3000 ticks are longer than some systems let an argument be.
  return [
    `curl -s ${url} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H "Api-Key: $TICKMARK_KEY" \\`,
    `  --data-binary @- <<'JSON'`,
    `{ ${lines.join(',\n  ')} }`,
    'JSON',
  ].join('\n');
}

function writeTypeScript(parts: CallParts): string {
  const head = ["import { TickmarkClient } from 'tickmark-client';", ''];
  if (parts.body === null)
    return [...head, `const client = new TickmarkClient({ baseUrl: '${parts.url}' });`, 'console.log(await client.sampleForecast());'].join(
      '\n',
    );
  const lines = bodyLines(parts.body, parts.isShort);
  const options = writeArguments(asked(parts.body, parts), (key, value) => `${key}: ${literal(value, "'")}`);
  return [
    "import { env } from 'node:process';",
    ...head,
    `const client = new TickmarkClient({ baseUrl: '${parts.url}', apiKey: env.TICKMARK_KEY });`,
    'const body = {',
    ...lines.map((line) => `  ${line},`),
    '};',
    `const { trend_identified, detail } = await client.forecast(body, { ${options} });`,
    'console.log(trend_identified, detail);',
  ].join('\n');
}

function writePython(parts: CallParts): string {
  const url = JSON.stringify(parts.url);
  const head = 'from tickmark import Tickmark';
  if (parts.body === null) return [head, '', `print(Tickmark(${url}).sample_forecast())`].join('\n');
  const lines = bodyLines(parts.body, parts.isShort);
  const nameOf = (key: string): string => (key === 'range' ? 'price_range' : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const write = (key: string, value: unknown): string => `${nameOf(key)}=${value === true ? 'True' : literal(value, '"')}`;
  const options = writeArguments(asked(parts.body, parts), write);
  return [
    'import os',
    head,
    '',
    `client = Tickmark(${url}, os.environ["TICKMARK_KEY"])`,
    'body = {',
    ...lines.map((line) => `    ${line},`),
    '}',
    `forecast = client.forecast(body, ${options})`,
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
