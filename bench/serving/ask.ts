import * as http from 'node:http';

export type Asked = {
  readonly path: string;
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  readonly body?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: http.Agent;
};

/** Sends one request, on a separate connection unless an agent is given. */
export function ask(port: number, { path, method, body, key, headers = {}, agent }: Asked): Promise<{ status: number; text: string }> {
  const sent = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Api-Key': key }), ...headers };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: method ?? (body === undefined ? 'GET' : 'POST'), headers: sent };
    const request = http.request({ ...options, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    request.on('error', reject);
    request.end(body);
  });
}
