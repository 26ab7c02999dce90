import { WebSocket } from 'ws';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { between, sleep, within, type Fault, type World } from '../Fault.ts';
import { openSocket, upgradeHead } from '../send.ts';

const HALF_FRAMES = 6;
const FLOOD_PER_STEP = 100;
const STEP_MS = 100;
const OPENS_MS = 3000;
/** A close frame arrives within this time. */
const CLOSES_MS = 3000;
/** Head of a masked text frame of 100 MB. */
const HUGE_FRAME = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x05, 0xf5, 0xe1, 0x00, 0, 0, 0, 0]);
const HALF_FRAME = Buffer.from([0x81, 0xfe, 0x01]);

/** With the key of the stranger. Undefined if the service does not accept it in time, as while it is overloaded. */
async function open({ service, callers }: World): Promise<WebSocket | undefined> {
  const socket = new WebSocket(`ws://127.0.0.1:${service.port}/auth/live`, ['tickmark.v1'], {
    headers: { 'Api-Key': callers.strangerKeys[0] },
    handshakeTimeout: OPENS_MS,
  });
  return new Promise((resolve) => {
    socket.on('error', () => {}).once('close', () => resolve(undefined));
    socket.once('open', () => resolve(socket));
  });
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
    const { service, callers } = world;
    const raw = [...Array<Buffer>(HALF_FRAMES).fill(HALF_FRAME), HUGE_FRAME].map((bytes) =>
      openSocket(service.port, upgradeHead(callers.strangerKeys[0]), bytes),
    );
    const [binary, flood, deaf] = [await open(world), await open(world), await open(world)];
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
    for (const socket of raw) socket.destroy();
    for (const socket of [binary, flood, deaf]) socket?.terminate();
    return `for ${(ms / 1000).toFixed(1)} s`;
  },
};

/** A client that goes away without closing, while its forecasts are computed. */
const leaves: Fault = {
  name: 'live-leaves',
  isLight: true,
  async run(world, random) {
    const count = 4 + random.integer(8);
    for (let i = 0; i < count; i++) {
      const socket = await open(world);
      const Timestamp = Array.from({ length: 300 }, (_, k) => formatTimestamp(1.7e15 + 1e5 * k));
      socket?.send(JSON.stringify({ type: 'open', series: 'a', forecasts: [{ horizon: '60s', every: 'tick' }] }));
      socket?.send(JSON.stringify({ type: 'ticks', series: 'a', Timestamp, Price: Timestamp.map((_, k) => 100 + (k % 7) / 100) }));
      await sleep(between(0, 50, random));
      socket?.terminate();
    }
    return `${count} connections`;
  },
};

export const LIVE_FAULTS: readonly Fault[] = [abuse, leaves];
