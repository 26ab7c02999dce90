import type { Middleware } from 'koa';
import type { State } from '../RequestContext.ts';
import type { ConsoleFiles, Encoding } from './readConsole.ts';

/** Their names carry a hash of their content: another content has another name. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Scripts, styles and calls of this origin alone; nothing inline, no frame, no form that is sent by the browser itself (a password would be in
 * the address of a page whose script failed).
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

/** A worker has the policy of its own file: it reads what it is given and calls nobody. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** The page at `/` for whoever prefers HTML to JSON, and its files under `/console/`. Everything else passes by. */
export function serveConsole(files: ConsoleFiles): Middleware<State> {
  return async (ctx, next) => {
    const file = files.get(ctx.path);
    if (file === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const isPage = ctx.path === '/';
    if (isPage) {
      ctx.state.route = 'index';
      ctx.append('Vary', 'Accept');
      // Programs name no type or any: they get the JSON.
      if (ctx.accepts('json', 'html') !== 'html') return next();
    }
    const encoding = (ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as Encoding;
    ctx.append('Vary', 'Accept-Encoding');
    ctx.set({
      // The page is asked for anew each time, and is 304 where it is the same.
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
