import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { RouteSpec } from '../../contract/routes.ts';

const compress = promisify(gzip);

/** Level for a body that is created for one request: 156 kB to a tenth in 0.4 ms; level 6 takes 0.9 ms and saves 7 % more. */
const QUICK = 1;
/** Level for a body that is compressed once. */
const THOROUGH = 9;
const TAG_CHARACTERS = 27;

type Kept = { tag?: string; compressed?: Promise<Buffer> };

/**
 * Adds ETags and compression to answers, as the route table says. If a handler returns the same buffer again, its digest and its compressed
 * form are reused.
 */
export class AnswerEncoder {
  readonly #kept = new WeakMap<Buffer, Kept>();

  /** Sets the body and the headers; sends 304 without a body if the caller has the current version. */
  async send(ctx: Context, body: Buffer, { revalidates, gzipFromBytes }: RouteSpec['answer'], isKept: boolean): Promise<void> {
    const kept = isKept ? this.#keptOf(body) : {};
    if (gzipFromBytes !== undefined) ctx.vary('Accept-Encoding');
    if (revalidates === true) {
      const tag = (kept.tag ??= tagOf(body));
      ctx.set({ ETag: tag, 'Cache-Control': 'no-cache' });
      if (isNamed(tag, ctx.get('If-None-Match'))) {
        ctx.status = 304;
        ctx.res.removeHeader('Content-Type');
        return;
      }
    }
    if (gzipFromBytes === undefined || body.length < gzipFromBytes || !acceptsGzip(ctx.req.headers['accept-encoding'])) {
      ctx.body = body;
      return;
    }
    const compressed = await (kept.compressed ??= compress(body, { level: isKept ? THOROUGH : QUICK }));
    ctx.set('Content-Encoding', 'gzip');
    ctx.body = compressed;
  }

  #keptOf(body: Buffer): Kept {
    let kept = this.#kept.get(body);
    if (kept === undefined) this.#kept.set(body, (kept = {}));
    return kept;
  }
}

/** Weak: the bytes depend on the encoding, the content does not. */
function tagOf(body: Buffer): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARACTERS)}"`;
}

/** Weak comparison with the list in If-None-Match (RFC 9110). */
function isNamed(tag: string, header: string): boolean {
  const opaque = tag.slice(2);
  return header.trim() === '*' || header.match(/"[^"]*"/g)?.some((named) => named === opaque) === true;
}

/** Whether an Accept-Encoding header (RFC 9110) accepts gzip, by name or by `*`, with a weight above 0. */
function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  let byStar = false;
  for (const entry of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const isTaken = !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return isTaken;
    if (coding === '*') byStar = isTaken;
  }
  return byStar;
}
