import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as net from 'node:net';
import { between, sleep, type Fault, type World } from '../Fault.ts';

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

/** Connections that send `bytes()` at once, and start again when the service closes them; meanwhile another caller must be served. */
async function flood(world: World, ms: number, bytes: (connection: number) => readonly Buffer[]): Promise<string> {
  const { service, callers, ledger, windows, cleanUps } = world;
  const sockets = new Set<net.Socket>();
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
    cleanUps.delete(end);
  };
  cleanUps.add(end);
  const endMs = performance.now() + ms;
  let opened = 0;
  const keepOpen = async (connection: number): Promise<void> => {
    for (; performance.now() < endMs; opened++) {
      const socket = net.connect(service.port, '127.0.0.1');
      sockets.add(socket);
      socket.on('error', () => {}).resume();
      for (const part of bytes(connection)) socket.write(part);
      await Promise.race([once(socket, 'close'), sleep(endMs - performance.now())]);
      sockets.delete(socket.destroy());
    }
  };
  const floods = Array.from({ length: CONNECTIONS }, (_, i) => keepOpen(i));
  const asked: Promise<boolean>[] = [];
  for (; performance.now() < endMs; await sleep(STEP_MS)) asked.push(callers.forecast(windows[asked.length % windows.length]));
  const served = (await Promise.all(asked)).filter(Boolean).length;
  await Promise.all(floods);
  end();
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
    flood(world, between(3000, 5000, random), (connection) => [
      Buffer.from(
        `GET /auth/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
          `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nApi-Key: ${world.callers.strangerKeys[connection % 2]}\r\n\r\n`,
      ),
      MESSAGES,
    ]),
};

export const FLOOD_FAULTS: readonly Fault[] = [httpFlood, liveFlood];
