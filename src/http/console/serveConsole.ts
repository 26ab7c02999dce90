import type { Middleware } from 'koa';
import type { State } from '../RequestContext.ts';
import type { ConsoleFiles, Encoding } from './readConsole.ts';

/** File names contain a hash of the content, so a file never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Allows scripts, styles and calls of this origin only: nothing inline, no frames, and no forms submitted by the browser (a password would
 * be in the address of a page whose script failed).
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A worker runs under the policy of its own file: it processes its input and makes no requests. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Serves the page at `/` to callers that prefer HTML to JSON, and its files under `/console/`. Other requests pass through. */
export function serveConsole(files: ConsoleFiles): Middleware<State> {
  return async (ctx, next) => {
    const file = files.get(ctx.path);
    if (file === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const isPage = ctx.path === '/';
    if (isPage) {
      ctx.state.route = 'index';
      ctx.append('Vary', 'Accept');
      // Programs accept no type or any type: they get JSON.
      if (ctx.accepts('json', 'html') !== 'html') return next();
    }
    const encoding = (ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as Encoding;
    ctx.append('Vary', 'Accept-Encoding');
    ctx.set({
      // The browser revalidates the page each time and gets 304 if it is unchanged.
      'Cache-Control': isPage ? 'no-cache' : FOR_EVER,
      'Content-Security-Policy': isPage ? PAGE_POLICY : FILE_POLICY,
      ETag: `"${file.hash}-${encoding}"`,
    });
    if (isPage) ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
    ctx.set('Content-Type', file.type);
    ctx.body = file.bodies[encoding];
  };
}
