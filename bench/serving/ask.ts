import * as http from 'node:http';

export type Asked = { readonly path: string; readonly body?: string; readonly key?: string; readonly agent?: http.Agent };

/** Sends one request, on a separate connection unless an agent is given. */
export function ask(port: number, { path, body, key, agent }: Asked): Promise<{ status: number; text: string }> {
  const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Api-Key': key }) };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    request.on('error', reject);
    request.end(body);
  });
}
