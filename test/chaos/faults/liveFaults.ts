import { randomBytes } from 'node:crypto';
import * as net from 'node:net';
import { WebSocket } from 'ws';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { between, sleep, within, type Fault, type World } from '../Fault.ts';

const HALF_FRAMES = 6;
const FLOOD_PER_STEP = 100;
const STEP_MS = 100;
const OPENS_MS = 3000;
/** A close frame arrives within this time. */
const CLOSES_MS = 3000;
/** Head of a masked text frame of 100 MB. */
const HUGE_FRAME = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x05, 0xf5, 0xe1, 0x00, 0, 0, 0, 0]);
const HALF_FRAME = Buffer.from([0x81, 0xfe, 0x01]);

/** Connections with the key of the stranger, which end with the fault. */
class Attackers {
  readonly #world: World;
  readonly #ends: (() => void)[] = [];
  readonly close = (): void => {
    for (const end of this.#ends) end();
    this.#world.cleanUps.delete(this.close);
  };

  constructor(world: World) {
    this.#world = world;
    world.cleanUps.add(this.close);
  }

  /** Undefined if the service does not accept it in time, as while it is overloaded. */
  async open(): Promise<WebSocket | undefined> {
    const { service, callers } = this.#world;
    const socket = new WebSocket(`ws://127.0.0.1:${service.port}/auth/live`, ['tickmark.v1'], {
      headers: { 'Api-Key': callers.strangerKeys[0] },
      handshakeTimeout: OPENS_MS,
    });
    this.#ends.push(() => socket.terminate());
    return new Promise((resolve) => {
      socket.on('error', () => {}).once('close', () => resolve(undefined));
      socket.once('open', () => resolve(socket));
    });
  }

  /** Sends bytes that a WebSocket library would not send. */
  openRaw(bytes: Buffer): void {
    const { service, callers } = this.#world;
    const socket = net.connect(service.port, '127.0.0.1');
    this.#ends.push(() => socket.destroy());
    socket.on('error', () => {}).resume();
    socket.write(
      `GET /auth/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nApi-Key: ${callers.strangerKeys[0]}\r\n\r\n`,
    );
    socket.write(bytes);
  }
}

/** Whether the service closes the connection with this code. */
async function closesWith(socket: WebSocket | undefined, code: number, { ledger, allowances }: World): Promise<void> {
  if (socket === undefined) return;
  let closed: number | undefined;
  socket.once('close', (how) => (closed = how));
  await within(CLOSES_MS, () => closed !== undefined, allowances);
  ledger.check('documented', closed === code ? undefined : `live connection closed with ${closed}, expected ${code}`);
}

/** Half frames, a binary frame, a frame of 100 MB, a thousand messages a second, and a client that never reads its forecasts. */
const abuse: Fault = {
  name: 'live-abuse',
  isLight: true,
  async run(world, random) {
    const attackers = new Attackers(world);
    for (let i = 0; i < HALF_FRAMES; i++) attackers.openRaw(HALF_FRAME);
    attackers.openRaw(HUGE_FRAME);
    const [binary, flood, deaf] = [await attackers.open(), await attackers.open(), await attackers.open()];
    const isClosed = closesWith(binary, 1003, world);
    binary?.send(Buffer.from('{}'), { binary: true });
    deaf?.pause();
    deaf?.send(JSON.stringify({ type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: 'tick' }] }));
    let tick = 0;
    const ms = between(3000, 5000, random);
    for (const endMs = performance.now() + ms; performance.now() < endMs; await sleep(STEP_MS)) {
      for (let i = 0; i < FLOOD_PER_STEP; i++) flood?.send('{"type":"score","series":"none"}');
      const Timestamp = Array.from({ length: 20 }, () => formatTimestamp(1.7e15 + 1e5 * tick++));
      deaf?.send(JSON.stringify({ type: 'ticks', series: 'a', Timestamp, Price: Timestamp.map(() => 100 + random.integer(100) / 100) }));
    }
    await isClosed;
    attackers.close();
    return `for ${(ms / 1000).toFixed(1)} s`;
  },
};

/** A client that goes away without closing, while its forecasts are computed. */
const leaves: Fault = {
  name: 'live-leaves',
  isLight: true,
  async run(world, random) {
    const attackers = new Attackers(world);
    const count = 4 + random.integer(8);
    for (let i = 0; i < count; i++) {
      const socket = await attackers.open();
      const Timestamp = Array.from({ length: 300 }, (_, k) => formatTimestamp(1.7e15 + 1e5 * k));
      socket?.send(JSON.stringify({ type: 'open', series: 'a', forecasts: [{ horizon: '60s', every: 'tick' }] }));
      socket?.send(JSON.stringify({ type: 'ticks', series: 'a', Timestamp, Price: Timestamp.map((_, k) => 100 + (k % 7) / 100) }));
      await sleep(between(0, 50, random));
      socket?.terminate();
    }
    attackers.close();
    return `${count} connections`;
  },
};

export const LIVE_FAULTS: readonly Fault[] = [abuse, leaves];
