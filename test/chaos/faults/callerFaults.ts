import { once } from 'node:events';
import type * as net from 'node:net';
import { between, sleep, type Fault, type World } from '../Fault.ts';
import { openSocket, upgradeHead } from '../send.ts';

/** REQUEST_TIMEOUT_MS, plus the check interval for late requests, plus a margin for a busy machine. */
const BODY_LIMIT_MS = 33_000;
const BAD_KEYS = 70;
const IDLE_SOCKETS = 300;
const SLOW_BODIES = 350;
const BODY_BYTES = 1024 * 1024;
/** Two workers use some 250 MB, with what they have dropped but not collected; without a budget for bodies it is over 400. */
const MOST_GROWTH_BYTES = 320 * 1e6;
const CONNECTIONS = 16;
const PER_CONNECTION = 1000;
const STEP_MS = 100;
/** Of the forecasts of another caller during a flood; without bounds, hardly one was served. */
const LEAST_SERVED = 3 / 4;

const PIPELINED = ['/health/live', '/nothing', '/docs'].map((path) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(PER_CONNECTION)),
);
/** A masked text frame with the mask 0. */
const INVALID = Buffer.from('{"type":"x"}');
const MESSAGES = Buffer.concat(
  Array<Buffer>(PER_CONNECTION).fill(Buffer.concat([Buffer.from([0x81, 0x80 | INVALID.length, 0, 0, 0, 0]), INVALID])),
);
const MIB = Buffer.alloc(BODY_BYTES, ' ');

const head = (path: string, length: number, key?: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${key === undefined ? '' : `Api-Key: ${key}\r\n`}Content-Length: ${length}\r\n\r\n`;

/** The service must close a connection whose body never arrives, although the caller does not. Checked in the background. */
function leaveBehind({ service, ledger }: World, bytes: string): void {
  const timer = setTimeout(() => {
    ledger.check('answered', `a slow body is still open after ${BODY_LIMIT_MS} ms`);
    socket.destroy();
  }, BODY_LIMIT_MS);
  const socket = openSocket(service.port, bytes)
    .once('end', () => ledger.check('answered'))
    .once('close', () => clearTimeout(timer));
}

const close = (sockets: readonly net.Socket[]): void => sockets.forEach((socket) => void socket.destroy());

/** Many bodies whose last bytes never arrive. */
const slowBodies: Fault = {
  name: 'slow-bodies',
  async run(world, random) {
    const { service, callers, ledger } = world;
    // Not since the start: the memory of a worker also grows while it answers its first thousands of requests.
    const bytesBefore = service.rssBytes();
    const isSignUp = random.uniform() < 0.6;
    const path = isSignUp ? '/signup' : '/auth/ti-tick';
    const sockets: net.Socket[] = [];
    leaveBehind(world, `${head(path, BODY_BYTES, callers.strangerKeys[0])}{`);
    for (let i = 0; i < SLOW_BODIES; i++) {
      sockets.push(openSocket(service.port, head(path, BODY_BYTES, isSignUp ? undefined : callers.strangerKeys[i % 2]), MIB.subarray(16)));
      if (i % 25 === 0) await sleep(20);
    }
    let mostBytes = 0;
    for (const endMs = performance.now() + between(3000, 5000, random); performance.now() < endMs; await sleep(250))
      mostBytes = Math.max(mostBytes, service.rssBytes() - bytesBefore);
    const mb = (mostBytes / 1e6).toFixed(0);
    ledger.check('memory', mostBytes < MOST_GROWTH_BYTES ? undefined : `${SLOW_BODIES} slow bodies on ${path} use ${mb} MB`);
    close(sockets);
    return `${SLOW_BODIES} bodies of 1 MiB on ${path}, RSS +${mb} MB`;
  },
};

/** One account declares as many bytes as allowed and sends one byte of each body; batches of others must still fit into the memory budget. */
const slowBatches: Fault = {
  name: 'slow-batches',
  async run(world, random) {
    const { service, callers, ledger, windows } = world;
    const sockets: net.Socket[] = [];
    const count = service.workers * (8 + random.integer(8));
    leaveBehind(world, `${head('/auth/ti-tick/batch', 8 * BODY_BYTES, callers.strangerKeys[0])}{`);
    for (let i = 0; i < count; i++)
      sockets.push(openSocket(service.port, head('/auth/ti-tick/batch', 8 * BODY_BYTES, callers.strangerKeys[i % 2]), '{'));
    await sleep(500);
    const tries = 4;
    let answered = 0;
    for (let i = 0; i < tries; i++) {
      if (await callers.batch(windows.slice(0, 2), true)) answered++;
      await sleep(between(300, 700, random));
    }
    // One batch may arrive while the slow bodies are being dropped.
    ledger.check('room', answered >= tries - 1 ? undefined : `${answered} of ${tries} batches of the owner were answered`);
    close(sockets);
    return `${count} bodies, ${answered} of ${tries} batches of the owner answered`;
  },
};

/** More bad keys than an address may send, and further ones for longer than a valid key is cached. */
const badKeys: Fault = {
  name: 'bad-keys',
  isLight: true,
  async run({ callers, service }, random) {
    await Promise.all(Array.from({ length: BAD_KEYS * service.workers }, () => callers.badKey(random)));
    const ms = between(7000, 10_000, random);
    for (const endMs = performance.now() + ms; performance.now() < endMs; await sleep(150)) await callers.badKey(random);
    return `for ${(ms / 1000).toFixed(1)} s`;
  },
};

const idleSockets: Fault = {
  name: 'idle-sockets',
  isLight: true,
  async run({ service }, random) {
    const part = (i: number): string[] => (i % 3 === 0 ? ['GET /health/live HTTP/1.1\r\nHo'] : []);
    const sockets = Array.from({ length: IDLE_SOCKETS }, (_, i) => openSocket(service.port, ...part(i)));
    await sleep(between(2000, 5000, random));
    close(sockets);
    return `${IDLE_SOCKETS} sockets`;
  },
};

/** Connections that send `bytes()` at once, and start again when the service closes them; meanwhile another caller must be served. */
async function flood(world: World, ms: number, bytes: (connection: number) => readonly (string | Buffer)[]): Promise<string> {
  const { service, callers, ledger, windows } = world;
  const endMs = performance.now() + ms;
  let opened = 0;
  const keepOpen = async (connection: number): Promise<void> => {
    for (; performance.now() < endMs; opened++) {
      const socket = openSocket(service.port, ...bytes(connection));
      await Promise.race([once(socket, 'close'), sleep(endMs - performance.now())]);
      socket.destroy();
    }
  };
  const floods = Array.from({ length: CONNECTIONS }, (_, i) => keepOpen(i));
  const asked: Promise<boolean>[] = [];
  for (; performance.now() < endMs; await sleep(STEP_MS)) asked.push(callers.forecast(windows[asked.length % windows.length]));
  const served = (await Promise.all(asked)).filter(Boolean).length;
  await Promise.all(floods);
  const counts = `${served} of ${asked.length} forecasts of another caller served`;
  ledger.check('fair', served >= LEAST_SERVED * asked.length ? undefined : counts);
  return `${opened} connections of ${PER_CONNECTION.toLocaleString('en')} requests, ${counts}`;
}

/** Connections without a key that do not wait for answers. */
const httpFlood: Fault = {
  name: 'http-flood',
  run: (world, random) => {
    const bytes = PIPELINED[random.integer(PIPELINED.length)];
    return flood(world, between(3000, 5000, random), () => [bytes]);
  },
};

/** Live connections of one account that send invalid messages without pause. */
const liveFlood: Fault = {
  name: 'live-flood',
  run: (world, random) =>
    flood(world, between(3000, 5000, random), (connection) => [upgradeHead(world.callers.strangerKeys[connection % 2]), MESSAGES]),
};

export const CALLER_FAULTS: readonly Fault[] = [httpFlood, liveFlood, slowBodies, slowBatches, badKeys, idleSockets];
