import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

export type Encoding = 'br' | 'gzip' | 'identity';

type ConsoleFile = {
  readonly type: string;
  /** Hash of the content before any encoding. */
  readonly hash: string;
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
};

/** Files by request path: `/` is the page. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built console into memory (about 4 MB with its encodings, of which Swagger UI has 2.7). Undefined if there is no build, for example when running from
 * source.
 */
export function readConsole(folder: string): ConsoleFiles | undefined {
  if (!existsSync(path.join(folder, 'index.html'))) return undefined;
  const files = readdirSync(folder).flatMap((name): [string, ConsoleFile][] => {
    const type = TYPES[path.extname(name)];
    if (type === undefined) return [];
    const read = (suffix: string): Buffer => readFileSync(path.join(folder, name + suffix));
    const bodies = { identity: read(''), gzip: read('.gz'), br: read('.br') };
    const hash = createHash('sha256').update(bodies.identity).digest('base64url').slice(0, 22);
    return [[name === 'index.html' ? '/' : `/console/${name}`, { type, hash, bodies }]];
  });
  return new Map(files);
}
