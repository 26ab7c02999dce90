import * as http from 'node:http';
import { ask } from '../serving/ask.ts';

export type Sent = {
  /** Milliseconds on the monotonic clock. */
  readonly dueMs: number;
  endMs: number;
  /** Of the last attempt; 0: the connection broke. */
  status: number;
  attempts: number;
  /** The code of a problem document; `proxy`: an answer of HAProxy itself. */
  code: string;
  /** The version that an answer names; only with `?detail=full`. */
  model: string;
};

export type SteadyLoadOptions = {
  readonly port: number;
  readonly keys: readonly string[];
  readonly bodies: readonly string[];
  /** Requests a second. */
  readonly rate: number;
  /** Further attempts after a broken connection, 502, 503 or 504, as the client package makes them. */
  readonly retries?: number;
  readonly query?: string;
  /** Default true. False: HAProxy logs no request that broke on a connection that had carried one before. */
  readonly keepsAlive?: boolean;
};

const RETRY_MS = 250;
const isWorthARetry = (status: number): boolean => status === 0 || status === 502 || status === 503 || status === 504;

/** Forecasts that are due at a constant rate, whether earlier ones are answered or not, until it is stopped. */
export class SteadyLoad {
  readonly sent: Sent[] = [];
  readonly #options: SteadyLoadOptions;
  readonly #agent: http.Agent;
  readonly #startMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  constructor(options: SteadyLoadOptions) {
    this.#options = options;
    this.#agent = new http.Agent({ keepAlive: options.keepsAlive ?? true, maxSockets: 512 });
    this.#timer = setInterval(() => this.#sendDue(), 2);
  }

  /** Requests without an answer. */
  get inFlight(): number {
    return this.#open.size;
  }

  /** Stops sending; resolves when all are answered. */
  async stop(): Promise<readonly Sent[]> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    this.#agent.destroy();
    return this.sent;
  }

  #sendDue(): void {
    const { rate } = this.#options;
    const due = Math.floor(((performance.now() - this.#startMs) * rate) / 1000);
    while (this.sent.length < due) {
      const request: Sent = {
        dueMs: this.#startMs + (this.sent.length * 1000) / rate,
        endMs: NaN,
        status: 0,
        attempts: 0,
        code: '',
        model: '',
      };
      const at = this.sent.push(request) - 1;
      const done: Promise<void> = this.#try(request, at).finally(() => this.#open.delete(done));
      this.#open.add(done);
    }
  }

  async #try(request: Sent, at: number): Promise<void> {
    const { retries = 0 } = this.#options;
    for (;;) {
      request.attempts++;
      await this.#post(request, at);
      if (!isWorthARetry(request.status) || request.attempts > retries) break;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * request.attempts));
    }
    request.endMs = performance.now();
  }

  async #post(request: Sent, at: number): Promise<void> {
    const { port, keys, bodies, query = '' } = this.#options;
    const asked = { path: `/auth/ti-tick${query}`, body: bodies[at % bodies.length], key: keys[at % keys.length], agent: this.#agent };
    const { status, text } = await ask(port, asked).catch(() => ({ status: 0, text: '' }));
    request.status = status;
    request.code = status === 0 || status === 200 ? '' : (/"code":"([^"]+)"/.exec(text)?.[1] ?? 'proxy');
    if (status === 200 && query !== '') request.model = /"model":\{"id":"([^"]+)"/.exec(text)?.[1] ?? '';
  }
}

/** How often each status came, as text: `1200 × 200, 3 × 502 proxy`. */
export function countStatus(sent: readonly { readonly status: number; readonly code?: string }[]): string {
  const counts = new Map<string, number>();
  for (const { status, code = '' } of sent) {
    const name = status === 0 ? 'broken' : `${status} ${code}`.trim();
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const inOrder = [...counts].sort(([a], [b]) => a.localeCompare(b));
  return inOrder.map(([name, count]) => `${count} × ${name}`).join(', ');
}
