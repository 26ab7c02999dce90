import { readFileSync } from 'node:fs';
import { seededRandom } from '../../src/core/Random.ts';
import { Connection } from './Connection.ts';

type Target = {
  readonly port: number;
  /** JSON file with an array of bodies, used round-robin. */
  readonly bodiesFile: string;
  /** Values of the Api-Key header, used round-robin. */
  readonly keys: readonly string[];
  /** Query with its question mark; none if absent. */
  readonly query?: string;
};

/** Each connection sends its next request when it has its answer. */
type ClosedLoad = { readonly connections: number; readonly seconds: number };

/** Requests are due at a constant rate in each phase, whether earlier ones are answered or not. If no connection is free, another one is opened. */
type OpenLoad = {
  readonly phases: readonly { readonly rate: number; readonly seconds: number }[];
  /** Connections that are open before the first request is due; default: as many as wait during an overload. */
  readonly firstConnections?: number;
};

export type Untargeted = ClosedLoad | OpenLoad;
export type Load = Target & Untargeted;

/** Outcomes of the requests of a load, in the order in which they were due. Milliseconds. */
export type Outcomes = {
  /** Due times, from the start of the load. In a closed loop, a request is due when it is sent. */
  readonly dueMs: Float64Array;
  /** Time from due until the whole answer was read; NaN without an answer. */
  readonly latencyMs: Float64Array;
  /** HTTP status; 0 without an answer. */
  readonly status: Uint16Array;
};

/** Time limit for the last answers. */
const GRACE_MS = 5000;
/** Most connections. At this limit, requests wait for a connection; the wait is part of their latency. */
const MOST_CONNECTIONS = 8192;
/**
 * Connections that are open before the first request is due: as many as wait during an overload. Node.js accepts one new connection per
 * event-loop iteration, so with new connections only, the accept rate would be measured.
 */
const FIRST_CONNECTIONS = 4096;
const SETTLE_MS = 1500;
/** First request on each of these connections: a server soon closes connections without any request. */
const GREETING = Buffer.from('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
const GREETED = -1;

/** When each request is due, ms from the start. */
export function dueTimes(phases: OpenLoad['phases']): number[] {
  let fromMs = 0;
  return phases.flatMap(({ rate, seconds }) => {
    const due = Array.from({ length: Math.round(rate * seconds) }, (_, i) => fromMs + (i * 1000) / rate);
    fromMs += seconds * 1000;
    return due;
  });
}

/** Complete requests as bytes. */
function requestsTo({ port, bodiesFile, keys, query = '' }: Target): readonly Buffer[] {
  return (JSON.parse(readFileSync(bodiesFile, 'utf8')) as string[]).map((body, i) => {
    const head = [
      `POST /auth/ti-tick${query} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      'content-type: application/json',
      `api-key: ${keys[i % keys.length]}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** Ends with the last answer, or `graceMs` after the last request was due. */
export async function makeLoad(load: Load, graceMs = GRACE_MS): Promise<Outcomes> {
  const requests = requestsTo(load);
  const due = 'phases' in load ? dueTimes(load.phases) : undefined;
  const endMs = 'phases' in load ? Infinity : load.seconds * 1000;
  const [dueMs, latencyMs, status]: [number[], number[], number[]] = [[], [], []];
  /**
   * A due request takes one of them at random, as callers that are independent of each other do. Last in, first out, a burst would be followed
   * by requests over the connections of one worker only, that which answered last: a service of two workers at half of its capacity would
   * have one that is idle and one without a pause.
   */
  const free: Connection[] = [];
  const random = seededRandom(1);
  /** The request of each connection that waits for an answer. */
  const busy = new Map<Connection, number>();
  const queue: number[] = [];
  let openNow = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));

  let startMs = performance.now();
  const nowMs = (): number => performance.now() - startMs;
  const add = (atMs: number): number => {
    latencyMs.push(NaN);
    status.push(0);
    return dueMs.push(atMs) - 1;
  };
  const fire = (connection: Connection, request: number): void => {
    busy.set(connection, request);
    connection.send(request === GREETED ? GREETING : requests[request % requests.length]);
  };
  const takeFree = (at: number): Connection | undefined => {
    const connection = free[at];
    const last = free.pop();
    if (at < free.length) free[at] = last!;
    return connection;
  };
  const settle = (connection: Connection, code: number): void => {
    const request = busy.get(connection) ?? GREETED;
    busy.delete(connection);
    if (request === GREETED) return;
    if (code > 0) [latencyMs[request], status[request]] = [nowMs() - dueMs[request], code];
    if (busy.size + queue.length === 0 && (due === undefined ? nowMs() >= endMs : dueMs.length === due.length)) finish();
  };
  const goOn = (connection: Connection): void => {
    if (due !== undefined) {
      const waiting = queue.shift();
      if (waiting === undefined) free.push(connection);
      else fire(connection, waiting);
    } else if (nowMs() < endMs) fire(connection, add(nowMs()));
    else connection.close();
  };
  const open = (): Connection => {
    openNow++;
    return new Connection(
      load.port,
      (connection, code) => {
        settle(connection, code);
        if (!connection.isClosing) goOn(connection);
      },
      (connection) => {
        openNow--;
        const at = free.indexOf(connection);
        if (at >= 0) takeFree(at);
        settle(connection, 0);
        if (due === undefined && nowMs() < endMs) goOn(open());
      },
    );
  };
  const sendDue = (times: readonly number[]): void => {
    for (; dueMs.length < times.length && times[dueMs.length] <= nowMs();) {
      const request = add(times[dueMs.length]);
      const connection = takeFree(random.integer(free.length)) ?? (openNow < MOST_CONNECTIONS ? open() : undefined);
      if (connection === undefined) queue.push(request);
      else fire(connection, request);
    }
    if (dueMs.length < times.length) setTimeout(sendDue, 1, times);
    else setTimeout(finish, graceMs).unref();
  };

  if ('phases' in load) {
    const { firstConnections = FIRST_CONNECTIONS } = load;
    for (let i = 0; i < firstConnections; i++) fire(open(), GREETED);
    if (firstConnections > 0) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    startMs = performance.now();
    sendDue(due!);
  } else {
    for (let caller = 0; caller < load.connections; caller++) goOn(open());
    setTimeout(finish, endMs + graceMs).unref();
  }
  await finished;
  const outcomes = { dueMs: Float64Array.from(dueMs), latencyMs: Float64Array.from(latencyMs), status: Uint16Array.from(status) };
  for (const connection of [...free, ...busy.keys()]) connection.close();
  return outcomes;
}
