import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Clock } from '../core/Clock.ts';
import { ServiceError, shown } from '../core/ServiceError.ts';

const unzip = promisify(gunzip);

/** The caller went away before the body was whole: there is nobody to answer. */
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
  const what = given === undefined ? 'it is missing' : `it is ${shown(given)}`;
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
    throw new ServiceError('request.encoding_unsupported', `Content-Encoding must be gzip or absent; it is ${shown(encoding)}.`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
  }
  return encoding === 'gzip';
}

function receive(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // The listeners stay, which is quicker than to take them off.
    let isSettled = false;
    const settle = (act: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      act();
    };
    const onClose = (): void => settle(() => reject(new RequestAborted('The request ended before its body did.')));
    request
      .on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= limitBytes) chunks.push(chunk);
        else settle(() => reject(tooLarge(limitBytes)));
      })
      .on('end', () => settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))))
      .on('close', onClose)
      .on('error', onClose);
  });
}

/**
 * The body's bytes, decompressed. `limitBytes` bounds what is received and what it decompresses to; a longer
 * Content-Length is refused before a byte is read. Throws ServiceError `request.too_large`, `request.encoding_unsupported`,
 * `request.malformed_json` (broken gzip), or RequestAborted.
 */
export async function readBody(request: IncomingMessage, response: ServerResponse, limitBytes: number): Promise<Buffer> {
  const isCompressed = isGzip(request);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (request.destroyed && !request.complete) throw new RequestAborted('The request ended before its body was read.');
  if (request.headers.expect !== undefined) response.writeContinue();
  const received = await receive(request, limitBytes);
  if (!isCompressed) return received;
  try {
    return await unzip(received, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes);
    throw new ServiceError('request.malformed_json', 'The body is not valid gzip, although Content-Encoding says so.');
  }
}

const DRAIN_BYTES = 4 * 1024 * 1024;
const DRAIN_MS = 500;

/**
 * Takes in and forgets what is left of a request whose answer is decided, within bounds, so that the caller has sent all and
 * reads the answer instead of a reset. Resolves to whether the whole request has arrived (else the connection must close).
 */
export function discardBody(request: IncomingMessage, clock: Clock): Promise<boolean> {
  if (request.complete || request.destroyed) {
    request.resume();
    return Promise.resolve(request.complete);
  }
  // The caller waits for 100 Continue, which it will not get: there is nothing to take in.
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
