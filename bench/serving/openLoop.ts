import { seededRandom } from '../../src/core/Random.ts';
import { Connection } from './Connection.ts';
import type { OpenLoad } from './Load.ts';
import type { LoadReport } from './Outcomes.ts';
import { Recorder } from './Recorder.ts';
import { requestsTo } from './requestsTo.ts';

/** Time limit for answers after the last request was due. */
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
export function dueTimes(phases: OpenLoad['phases'], poissonSeed?: number): number[] {
  const random = poissonSeed === undefined ? undefined : seededRandom(poissonSeed);
  const due: number[] = [];
  let fromMs = 0;
  for (const { rate, seconds } of phases) {
    if (random === undefined) for (let i = 0; i < Math.round(rate * seconds); i++) due.push(fromMs + (i * 1000) / rate);
    else
      for (let atMs = 0; ;) {
        atMs -= (Math.log(1 - random.uniform()) * 1000) / rate;
        if (atMs >= seconds * 1000) break;
        due.push(fromMs + atMs);
      }
    fromMs += seconds * 1000;
  }
  return due;
}

/** Sends each request when it is due, independently of earlier requests. Ends with the last answer, or after its time limit. */
export async function openLoop(load: OpenLoad): Promise<LoadReport> {
  const requests = requestsTo(load);
  const due = dueTimes(load.phases, load.poissonSeed);
  /**
   * A request takes one of them at random, as callers that are independent of each other do. Last in, first out, a burst would be followed
   * by requests over the connections of one worker only, that which answered last: a service of two workers at half of its capacity would
   * have one that is idle and one without a pause.
   */
  const free: Connection[] = [];
  const random = seededRandom(1);
  const busy = new Map<Connection, number>();
  const queue: number[] = [];
  let [opened, openNow] = [0, 0];
  let recorder = new Recorder();
  let sent = 0;
  let settled = 0;
  let finish: () => void = () => {};

  const takeFree = (at: number): Connection | undefined => {
    const connection = free[at];
    const last = free.pop();
    if (at < free.length) free[at] = last!;
    return connection;
  };
  const settle = (): void => {
    if (++settled === due.length) finish();
  };
  const open = (): Connection => {
    opened++;
    openNow++;
    return new Connection(
      load.port,
      (connection, status) => {
        const request = busy.get(connection)!;
        busy.delete(connection);
        if (request !== GREETED) {
          recorder.answered(request, status);
          settle();
        }
        if (connection.isClosing) return;
        const waiting = queue.shift();
        if (waiting === undefined) free.push(connection);
        else fire(connection, waiting);
      },
      (connection) => {
        openNow--;
        const at = free.indexOf(connection);
        if (at >= 0) takeFree(at);
        const request = busy.get(connection);
        if (busy.delete(connection) && request !== GREETED) settle();
      },
    );
  };
  const fire = (connection: Connection, request: number): void => {
    busy.set(connection, request);
    connection.send(requests[request % requests.length]);
  };
  const sendDue = (): void => {
    const nowMs = recorder.nowMs();
    for (; sent < due.length && due[sent] <= nowMs; sent++) {
      const request = recorder.add(due[sent]);
      const connection = takeFree(random.integer(free.length)) ?? (openNow < MOST_CONNECTIONS ? open() : undefined);
      if (connection === undefined) queue.push(request);
      else fire(connection, request);
    }
    if (sent < due.length) setTimeout(sendDue, 1);
    else setTimeout(() => finish(), GRACE_MS).unref();
  };

  for (let i = 0; i < (load.firstConnections ?? FIRST_CONNECTIONS); i++) {
    const connection = open();
    busy.set(connection, GREETED);
    connection.send(GREETING);
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  recorder = new Recorder();
  await new Promise<void>((resolve) => {
    finish = resolve;
    sendDue();
  });
  recorder.connectionsOpened = opened;
  const report = recorder.report();
  settled = -Infinity;
  for (const connection of [...free, ...busy.keys()]) connection.close();
  return report;
}
