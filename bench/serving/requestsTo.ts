import { readFileSync } from 'node:fs';
import type { Target } from './Load.ts';

const made = new Map<string, Buffer[]>();

/** Complete requests as bytes, cached per server and set of bodies. */
export function requestsTo({ port, bodiesFile, keys, query = '' }: Target): readonly Buffer[] {
  const name = `${port} ${query} ${bodiesFile} ${keys.join()}`;
  let requests = made.get(name);
  if (requests === undefined) {
    const bodies = JSON.parse(readFileSync(bodiesFile, 'utf8')) as string[];
    requests = bodies.map((body, i) => {
      const head = [
        `POST /auth/ti-tick${query} HTTP/1.1`,
        `host: 127.0.0.1:${port}`,
        'content-type: application/json',
        `api-key: ${keys[i % keys.length]}`,
        `content-length: ${Buffer.byteLength(body)}`,
      ];
      return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
    });
    made.set(name, requests);
  }
  return requests;
}
