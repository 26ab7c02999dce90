import { randomBytes } from 'node:crypto';
import * as http from 'node:http';
import * as net from 'node:net';
import type { Ended, Outcome } from './checkAnswer.ts';

export type Request = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Agent; absent: a separate connection. */
  readonly agent?: http.Agent;
  /** Local loopback address of the caller. */
  readonly localAddress?: string;
  /** The caller closes the connection after this time. */
  readonly leavesAfterMs?: number;
};

/** Time limit of a caller, longer than any limit of the run. */
const GIVES_UP_MS = 20_000;

/** Sends one request. Never rejects. */
export function send(port: number, request: Request): Promise<Ended> {
  const { method, path, headers, body, agent = false, localAddress, leavesAfterMs = GIVES_UP_MS } = request;
  const fromMs = performance.now();
  return new Promise((resolve) => {
    const end = (how: Outcome): void => {
      clearTimeout(timer);
      resolve({ fromMs, toMs: performance.now(), ...how });
    };
    const onError = (error: NodeJS.ErrnoException): void => {
      // The service may close an idle connection at the moment of its reuse; HTTP clients retry such requests.
      if (sent.reusedSocket && error.code === 'ECONNRESET') {
        clearTimeout(timer);
        void send(port, { ...request, agent: new http.Agent() }).then(resolve);
      } else end({ closed: error.code ?? error.message });
    };
    const sent = http.request(
      { host: '127.0.0.1', port, method, path, agent, ...(headers && { headers }), ...(localAddress && { localAddress }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', onError);
        response.once('end', () => {
          const { statusCode: status = 0, headers } = response;
          end({ answer: { status, headers, text: Buffer.concat(chunks).toString('utf8') } });
        });
      },
    );
    const timer = setTimeout(() => {
      end({ hung: true });
      sent.destroy();
    }, leavesAfterMs);
    sent.once('error', onError);
    sent.end(body);
  });
}

/** Sends a request again as `Retry-After` says, and after a missed deadline, until `untilMs`. Throws unless the answer is 2xx. */
export async function demand(port: number, request: Request, untilMs = 0): Promise<string> {
  for (;;) {
    const ended = await send(port, request);
    const answer = 'answer' in ended ? ended.answer : undefined;
    if (answer !== undefined && answer.status < 300) return answer.text;
    const waitMs = 1000 * Number(answer?.headers['retry-after'] ?? (answer?.status === 504 ? 1 : NaN));
    if (!(performance.now() + waitMs < untilMs))
      throw new Error(`${request.method} ${request.path}: ${JSON.stringify(ended).slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

export function post(path: string, body: string | object, key?: string): Request {
  const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'Api-Key': key }) };
  return { method: 'POST', path, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const PASSWORD = 'correct horse 42';
export const signUpOf = (email: string): Request => post('/signup', { email, password: PASSWORD, confirm_password: PASSWORD });
export const loginOf = (email: string): string => `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}`;
export const keyIn = (text: string): string => (JSON.parse(text) as { api_key: string }).api_key;

/** A connection that ignores answers; the service may close it. */
export function openSocket(port: number, ...parts: readonly (string | Buffer)[]): net.Socket {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  for (const part of parts) socket.write(part);
  return socket;
}

/** Opens a live connection without a library, which would not send the bytes that follow. */
export const upgradeHead = (key: string): string =>
  `GET /auth/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nApi-Key: ${key}\r\n\r\n`;
