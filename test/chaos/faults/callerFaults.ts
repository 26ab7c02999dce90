import * as net from 'node:net';
import { between, sleep, type Fault, type World } from '../Fault.ts';

/** REQUEST_TIMEOUT_MS, plus the check interval for late requests, plus a margin for a busy machine. */
const BODY_LIMIT_MS = 33_000;
const BAD_KEYS = 70;
const IDLE_SOCKETS = 300;
const SLOW_BODIES = 350;
const BODY_BYTES = 1024 * 1024;
/** Two workers use some 250 MB, with what they have dropped but not collected; without a budget for bodies it is over 400. */
const MOST_GROWTH_BYTES = 320 * 1e6;
const MIB = Buffer.alloc(BODY_BYTES, ' ');

/** Sockets that the caller keeps open until the end of the fault. */
class Sockets {
  readonly #sockets: net.Socket[] = [];
  readonly #world: World;
  readonly close = (): void => {
    for (const socket of this.#sockets) socket.destroy();
    this.#world.cleanUps.delete(this.close);
  };

  constructor(world: World) {
    this.#world = world;
    world.cleanUps.add(this.close);
  }

  open(...parts: readonly (string | Buffer)[]): net.Socket {
    const socket = net.connect(this.#world.service.port, '127.0.0.1');
    // Answers are ignored; the service may close the socket.
    socket.on('error', () => {}).resume();
    for (const part of parts) socket.write(part);
    this.#sockets.push(socket);
    return socket;
  }
}

const head = (path: string, length: number, key?: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${key === undefined ? '' : `Api-Key: ${key}\r\n`}Content-Length: ${length}\r\n\r\n`;

/** The service must close a connection whose body never arrives, although the caller does not. Checked in the background. */
function leaveBehind({ service, ledger, cleanUps }: World, bytes: string): void {
  const socket = net.connect(service.port, '127.0.0.1', () => socket.write(bytes));
  const end = (): void => void socket.destroy();
  const timer = setTimeout(() => {
    ledger.check('answered', `a slow body is still open after ${BODY_LIMIT_MS} ms`);
    socket.destroy();
  }, BODY_LIMIT_MS);
  cleanUps.add(end);
  socket
    .on('error', () => {})
    .once('end', () => ledger.check('answered'))
    .once('close', () => {
      clearTimeout(timer);
      cleanUps.delete(end);
    })
    .resume();
}

/** Many bodies whose last bytes never arrive. */
const slowBodies: Fault = {
  name: 'slow-bodies',
  async run(world, random) {
    const { service, callers, ledger } = world;
    // Not since the start: the memory of a worker also grows while it answers its first thousands of requests.
    const bytesBefore = service.rssBytes();
    const isSignUp = random.uniform() < 0.6;
    const path = isSignUp ? '/signup' : '/auth/ti-tick';
    const sockets = new Sockets(world);
    leaveBehind(world, `${head(path, BODY_BYTES, callers.strangerKeys[0])}{`);
    for (let i = 0; i < SLOW_BODIES; i++) {
      sockets.open(head(path, BODY_BYTES, isSignUp ? undefined : callers.strangerKeys[i % 2]), MIB.subarray(16));
      if (i % 25 === 0) await sleep(20);
    }
    let mostBytes = 0;
    for (const endMs = performance.now() + between(3000, 5000, random); performance.now() < endMs; await sleep(250))
      mostBytes = Math.max(mostBytes, service.rssBytes() - bytesBefore);
    const mb = (mostBytes / 1e6).toFixed(0);
    ledger.check('memory', mostBytes < MOST_GROWTH_BYTES ? undefined : `${SLOW_BODIES} slow bodies on ${path} use ${mb} MB`);
    sockets.close();
    return `${SLOW_BODIES} bodies of 1 MiB on ${path}, RSS +${mb} MB`;
  },
};

/** One account declares as many bytes as allowed and sends one byte of each body; batches of others must still fit into the memory budget. */
const slowBatches: Fault = {
  name: 'slow-batches',
  async run(world, random) {
    const { service, callers, ledger, windows } = world;
    const sockets = new Sockets(world);
    const count = service.workers * (8 + random.integer(8));
    leaveBehind(world, `${head('/auth/ti-tick/batch', 8 * BODY_BYTES, callers.strangerKeys[0])}{`);
    for (let i = 0; i < count; i++) sockets.open(head('/auth/ti-tick/batch', 8 * BODY_BYTES, callers.strangerKeys[i % 2]), '{');
    await sleep(500);
    const tries = 4;
    let answered = 0;
    for (let i = 0; i < tries; i++) {
      if (await callers.batch(windows.slice(0, 2), true)) answered++;
      await sleep(between(300, 700, random));
    }
    // One batch may arrive while the slow bodies are being dropped.
    ledger.check('room', answered >= tries - 1 ? undefined : `${answered} of ${tries} batches of the owner were answered`);
    sockets.close();
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
  async run(world, random) {
    const sockets = new Sockets(world);
    for (let i = 0; i < IDLE_SOCKETS; i++) sockets.open(...(i % 3 === 0 ? ['GET /health/live HTTP/1.1\r\nHo'] : []));
    await sleep(between(2000, 5000, random));
    sockets.close();
    return `${IDLE_SOCKETS} sockets`;
  },
};

export const CALLER_FAULTS: readonly Fault[] = [slowBodies, slowBatches, badKeys, idleSockets];
