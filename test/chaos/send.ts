import * as http from 'node:http';
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
