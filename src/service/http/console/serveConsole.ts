import type { Middleware } from 'koa';
import type { State } from '../RequestContext.ts';
import { CONSOLE_HEADERS } from './pagePolicy.ts';
import type { ConsoleFiles, Encoding } from './readConsole.ts';

/** File names contain a hash of the content, so a file never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** A worker runs under the policy of its own file. The one that reads tick files makes no requests; the one that replays calls this
 * service, or loads the engine and compiles its WebAssembly.
 */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'";
const REPLAY_POLICY = `${FILE_POLICY}; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'`;
const filePolicy = (path: string): string => (path.startsWith('/console/replayWorker.') ? REPLAY_POLICY : FILE_POLICY);

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
      ...(isPage ? CONSOLE_HEADERS : { 'Content-Security-Policy': filePolicy(ctx.path) }),
      ETag: `"${file.hash}-${encoding}"`,
    });
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
