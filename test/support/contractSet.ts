import * as http from 'node:http';
import { createHash } from 'node:crypto';
import { makeStoreLocation, type StoreLocation } from './eachStore.ts';
import { MEMORY_LINE } from './fakeForecaster.ts';
import { startAccountService, type AccountRig } from './accountService.ts';

/** A request of the recorded set. The body is `body`, or a named base text with some texts replaced. */
export type RecordedRequest = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** `{key}` stands for the key that the first sign-up returned. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly base?: string;
  /** Each text, which occurs in the base, and what its first occurrence becomes. */
  readonly replace?: readonly (readonly [from: string, to: string])[];
};

export type RecordedAnswer = {
  readonly status: number;
  /** Every header field as it was sent, in order, except the date; values that vary are masked. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The bytes as text; for more than 20,000 bytes their number and SHA-256. */
  readonly body: string | { readonly bytes: number; readonly sha256: string };
};

export type ContractSet = {
  readonly bases: Readonly<Record<string, string>>;
  readonly exchanges: readonly { readonly request: RecordedRequest; readonly answer: RecordedAnswer }[];
};

const LONG_BYTES = 20_000;
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/tkm_live_[0-9A-Za-z]{10,}/g, 'tkm_live_<key>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<request id>'],
  [/;t=\d+/g, ';t=<seconds>'],
];

const masked = (text: string): string => MASKS.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), text);

function bodyOf({ body, base, replace = [] }: RecordedRequest, bases: ContractSet['bases']): string | undefined {
  if (base === undefined) return body;
  return replace.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the base ${base} has no ${from}`);
    return text.replace(from, () => to);
  }, bases[base]);
}

/** One service for the whole set, in order, with a small network and the default limits: marks and counts are the same in every run. */
export async function withContractService<T>(test: Mocha.Context | undefined, use: (rig: AccountRig) => Promise<T>): Promise<T> {
  const place: StoreLocation = await makeStoreLocation('sqlite', test as Mocha.Context);
  const limits = { LIMIT_FORECASTS_PER_MINUTE: '6000', LIMIT_SIGNUPS_PER_HOUR: '100', FORECAST_DEADLINE_MS: '20000' };
  // A version with memory, as the shipped one: without it, the answer to a series says so.
  const rig = await startAccountService(place, limits, { memory: MEMORY_LINE });
  try {
    return await use(rig);
  } finally {
    await rig.close();
    await place.dispose();
  }
}

/** Sends a request; `key` replaces `{key}`. */
function exchangeOne(
  url: string,
  request: RecordedRequest,
  bases: ContractSet['bases'],
  key: string,
): Promise<{ readonly answer: RecordedAnswer; readonly text: string }> {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value.replace('{key}', key)]));
  return new Promise((resolve, reject) => {
    const sent = http.request(url + request.path, { method: request.method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const fields: [string, string][] = [];
        for (let i = 0; i < response.rawHeaders.length; i += 2) {
          const name = response.rawHeaders[i];
          if (name.toLowerCase() !== 'date') fields.push([name, masked(response.rawHeaders[i + 1])]);
        }
        const text = bytes.toString('utf8');
        const body =
          bytes.length > LONG_BYTES
            ? { bytes: bytes.length, sha256: createHash('sha256').update(masked(text)).digest('hex') }
            : masked(text);
        resolve({ answer: { status: response.statusCode ?? 0, headers: fields, body }, text });
      });
    });
    sent.on('error', reject);
    sent.end(bodyOf(request, bases));
  });
}

/** Plays the requests in order. */
export async function playAll(
  rig: AccountRig,
  requests: readonly RecordedRequest[],
  bases: ContractSet['bases'],
): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = [];
  let key = '';
  for (const request of requests) {
    const { answer, text } = await exchangeOne(rig.service.url, request, bases, key);
    if (key === '' && answer.status === 201) key = (JSON.parse(text) as { api_key: string }).api_key;
    answers.push(answer);
  }
  return answers;
}
