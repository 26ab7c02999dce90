import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import type { BodyBudget, CountedBody } from '../admission/BodyBudget.ts';

const BROKEN_GZIP = 'The body is not valid gzip, although Content-Encoding says so.';

/** The caller disconnected before the body was complete: no answer can be sent. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/** Throws ServiceError `request.media_type_unsupported` unless the body is declared as JSON in UTF-8. */
export function requireJsonType(request: IncomingMessage): void {
  const given = request.headers['content-type'];
  if (given === 'application/json') return;
  const [type = '', ...parameters] = (given ?? '').toLowerCase().split(';');
  const isUtf8 = parameters.every((parameter) => /^\s*($|charset\s*=\s*"?utf-?8"?\s*$)/.test(parameter));
  if (type.trim() === 'application/json' && isUtf8) return;
  const what = given === undefined ? 'it is missing' : `it is ${quoteValue(given)}`;
  throw new ServiceError('request.media_type_unsupported', `Content-Type must be application/json in UTF-8; ${what}.`);
}

export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('request.too_large', `The body must be at most ${limitBytes} bytes, decompressed; it is larger.`, {
    headers: { Connection: 'close' },
  });
}

function isGzip(request: IncomingMessage): boolean {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new ServiceError('request.encoding_unsupported', `Content-Encoding must be gzip or absent; it is ${quoteValue(encoding)}.`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
  }
  return encoding === 'gzip';
}

type Counted = { readonly limitBytes: number; readonly budget: BodyBudget; readonly body: CountedBody };

/**
 * Reads all bytes of a stream and counts them. Rejects with `request.too_large`, with the error with which the budget drops the body, or
 * with `broken`.
 */
function collect(source: Readable, { limitBytes, budget, body }: Counted, broken: () => Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    // The listeners are not removed, which is faster.
    let isSettled = false;
    const settle = (error?: Error): void => {
      if (isSettled) return;
      isSettled = true;
      if (error !== undefined) reject(error);
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
      chunks = [];
    };
    const onBroken = (): void => {
      if (!isSettled) settle(broken());
    };
    body.drop = settle;
    source
      .on('data', (chunk: Buffer) => {
        if (isSettled) return;
        size += chunk.length;
        if (size > limitBytes) return settle(tooLarge(limitBytes));
        chunks.push(chunk);
        budget.grow(body, chunk.length);
      })
      .on('end', () => settle())
      .on('close', onBroken)
      .on('error', onBroken);
  });
}

async function unzip(received: Buffer, counted: Counted): Promise<Buffer> {
  const gunzip = createGunzip();
  gunzip.end(received);
  try {
    return await collect(gunzip, counted, () => new ServiceError('request.malformed_json', BROKEN_GZIP));
  } finally {
    gunzip.destroy();
  }
}

/**
 * Reads and decompresses the body. `limitBytes` bounds both the received and the decompressed size; a larger Content-Length is refused
 * before a byte is read. Throws ServiceError `request.too_large`, `request.encoding_unsupported`, `request.malformed_json` (broken gzip),
 * `request.timeout` (too slow), `limit.exceeded` (no memory left for it), or RequestAborted.
 */
export async function readBody(request: IncomingMessage, response: ServerResponse, counted: Counted): Promise<Buffer> {
  const isCompressed = isGzip(request);
  if (Number(request.headers['content-length'] ?? 0) > counted.limitBytes) throw tooLarge(counted.limitBytes);
  if (request.destroyed && !request.complete) throw new RequestAborted('The connection closed before the body was read.');
  if (request.headers.expect !== undefined) response.writeContinue();
  const received = await collect(request, counted, () => new RequestAborted('The connection closed before the body was complete.'));
  counted.budget.arrived(counted.body);
  return isCompressed ? unzip(received, counted) : received;
}

const DRAIN_BYTES = 4 * 1024 * 1024;
const DRAIN_MS = 500;

/**
 * Reads and discards the rest of a request whose answer is decided, within bounds, so that the caller finishes sending and reads the answer
 * instead of a connection reset. Resolves to whether the whole request has arrived; otherwise the connection must close.
 */
export function discardBody(request: IncomingMessage, clock: Clock): Promise<boolean> {
  if (request.complete || request.destroyed) {
    request.resume();
    return Promise.resolve(request.complete);
  }
  // The caller waits for 100 Continue and will not get it: there is nothing to read.
  if (request.headers.expect !== undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    let size = 0;
    const settle = (): void => {
      cancel();
      request.off('data', onData).off('end', settle).off('close', settle).off('error', settle);
      resolve(request.complete);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > DRAIN_BYTES) settle();
    };
    const cancel = clock.after(DRAIN_MS, settle);
    request.on('data', onData).on('end', settle).on('close', settle).on('error', settle);
    request.resume();
  });
}
