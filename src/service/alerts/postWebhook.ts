import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../../core/Clock.ts';
import { within } from '../../core/within.ts';
import { addressKind } from './addressRules.ts';
import { resolveName } from './resolveName.ts';

/** Bytes of an answer that are read; then the connection is closed. */
const MAX_ANSWER_BYTES = 4096;
const MAX_HEADER_BYTES = 16 * 1024;

export type PostOptions = {
  readonly clock: Clock;
  /** For everything: the name, the connection, TLS and the answer. */
  readonly timeoutMs: number;
  readonly allowsPrivate: boolean;
  /** All addresses of a name; the signal ends the lookup. Default: `resolveName`. */
  readonly resolve?: (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Certificates to trust instead of those of Node.js. */
  readonly ca?: string;
};

/** `error`: in a few words, without anything of the URL or the answer. */
export type PostResult = { readonly status: number | null; readonly error: string | null };

/**
 * Sends one alert. The name is resolved once, every address is checked, and the connection goes to a checked address with the name for TLS
 * and Host: a name that resolves to another address the second time (DNS rebinding) is not asked a second time. Redirects are not
 * followed. After the time limit, nothing is sent and nothing stays open. Never throws.
 */
export async function postWebhook(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: PostOptions,
): Promise<PostResult> {
  const over = new AbortController();
  const send = async (): Promise<PostResult> => {
    const target = new URL(url);
    const address = await checkedAddress(target, options, over.signal);
    if ('error' in address) return { status: null, error: address.error };
    over.signal.throwIfAborted();
    return request(target, address.address, headers, body, options, over.signal);
  };
  try {
    const late = { status: null, error: `no answer within ${options.timeoutMs} ms` };
    return await within(options.clock, options.timeoutMs, send(), () => late);
  } catch (error) {
    return { status: null, error: causeOf(error) };
  } finally {
    over.abort();
  }
}

type Checked = { readonly address: string } | { readonly error: string };

async function checkedAddress({ protocol, hostname }: URL, { allowsPrivate, resolve }: PostOptions, signal: AbortSignal): Promise<Checked> {
  const lookUp = resolve ?? ((name) => resolveName(name, { signal, searches: allowsPrivate }));
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(literal) === 0 ? await lookUp(hostname, signal) : [literal];
  const kinds = addresses.map(addressKind);
  if (addresses.length === 0) return { error: 'the name has no address' };
  // One refused address is enough: which one is used must not depend on their order.
  if (kinds.includes('never') || (kinds.includes('private') && !allowsPrivate)) return { error: 'the address is private or reserved' };
  if (protocol !== 'https:' && kinds.includes('public')) return { error: 'http is allowed only for private addresses' };
  return { address: addresses[0] };
}

function request(
  url: URL,
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { ca }: PostOptions,
  signal: AbortSignal,
): Promise<PostResult> {
  const isTls = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const sent = (isTls ? https : http).request(
      {
        host: address,
        port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
        path: url.pathname + url.search,
        method: 'POST',
        headers: {
          Host: url.host,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': 'tickmark',
          ...headers,
        },
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        // The certificate must be that of the name, not of the address.
        ...(isTls && isIP(address) !== 0 && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? { servername: url.hostname } : {}),
        ca,
      },
      (answer) => {
        const status = answer.statusCode ?? 0;
        const done = (): void => resolve({ status, error: errorOf(status) });
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= MAX_ANSWER_BYTES) return;
          sent.destroy();
          done();
        });
        answer.on('end', done);
        // The status has arrived; the rest of the answer says nothing.
        answer.on('error', done);
      },
    );
    signal.addEventListener('abort', () => sent.destroy());
    sent.on('error', reject);
    sent.end(body);
  });
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `status ${status}: redirects are not followed` : `status ${status}`;
}

/** The code of a system or TLS error; its message may contain the address. */
function causeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'the request failed';
}
