import { Ajv } from 'ajv';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { SERVER_MESSAGES, type ServerMessage } from '../../src/contract/live.ts';
import type { HttpOptions, HttpParts } from '../../src/service/http/HttpParts.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { fakeForecaster, type FakeOptions } from './fakeForecaster.ts';
import { fakeParts, GOOD_KEY } from './fakeParts.ts';
import { startTestServer, type TestServer } from './testServer.ts';
import { until } from './until.ts';
import { walkTicks } from './walkTicks.ts';

const ajv = new Ajv({ allowUnionTypes: true });
const checks = Object.fromEntries(Object.entries(SERVER_MESSAGES).map(([name, schema]) => [name, ajv.compile(schema)]));

export type Message = ServerMessage & Record<string, unknown>;

/** A WebSocket that keeps every message and checks it against its schema. */
export class LiveSocket {
  readonly messages: Message[] = [];
  readonly socket: WebSocket;
  closeCode: number | undefined;
  readonly opened: Promise<void>;

  constructor(url: string, options: { key?: string | undefined; protocol?: string[]; headers?: Record<string, string> } = {}) {
    const { key = GOOD_KEY, protocol = ['tickmark.v1'] } = options;
    const headers = { ...options.headers, ...(key === '' ? {} : { 'Api-Key': key }) };
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/auth/live`, protocol, { headers });
    this.opened = new Promise((resolve, reject) => this.socket.once('open', resolve).once('error', reject));
    this.socket.on('error', () => {});
    this.socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message;
      const check = checks[message.type];
      if (check?.(message) !== true) expect.fail(`${JSON.stringify(message)} ${JSON.stringify(check?.errors)}`);
      this.messages.push(message);
    });
    this.socket.on('close', (code) => (this.closeCode = code));
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  of<T extends ServerMessage['type']>(type: T): Extract<ServerMessage, { type: T }>[] {
    return this.messages.filter((message) => message.type === type) as never;
  }

  /** By their numbers. */
  inOrder<T extends 'forecast' | 'outcome'>(type: T): Extract<ServerMessage, { type: T }>[] {
    return this.of(type).sort((a, b) => (a as { n: number }).n - (b as { n: number }).n);
  }

  /** Sends messages of which the last one is answered by the first score. */
  async run(...messages: object[]): Promise<void> {
    for (const message of messages) this.send(message);
    await this.next('score');
  }

  async next<T extends ServerMessage['type']>(type: T, count = 1): Promise<Extract<ServerMessage, { type: T }>> {
    await until(() => this.of(type).length >= count);
    return this.of(type)[count - 1];
  }

  async closed(): Promise<number> {
    await until(() => this.closeCode !== undefined);
    return this.closeCode!;
  }
}

export const OPEN = { type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: '5s' }] };
export const TICKS = walkTicks({ seed: 9, count: 900 });
export const STAMPS = Array.from(TICKS.timesUs, (us) => formatTimestamp(us));

/** Ticks of the series as a message. */
export const ticksMessage = (from: number, to: number, series = 'a'): object => ({
  ...{ type: 'ticks', series },
  ...{ Timestamp: STAMPS.slice(from, to), Price: [...TICKS.prices.slice(from, to)] },
});

/** A server and its sockets, which are closed at the end. */
export async function withServer(
  parts: HttpParts,
  options: Partial<HttpOptions>,
  use: (server: TestServer, connect: (options?: ConstructorParameters<typeof LiveSocket>[1]) => Promise<LiveSocket>) => Promise<void>,
): Promise<void> {
  const server = await startTestServer(parts, options);
  const clients: LiveSocket[] = [];
  try {
    await use(server, async (clientOptions) => {
      const client = new LiveSocket(server.url, clientOptions);
      clients.push(client);
      await client.opened;
      return client;
    });
  } finally {
    for (const { socket } of clients) socket.terminate();
    await server.close();
  }
}

/** Parts with real forecasts of a fake network. */
export const realParts = (overrides: Partial<HttpParts> = {}, options: FakeOptions = {}): HttpParts => {
  const { forecaster } = fakeForecaster(options);
  return fakeParts({ forecast: (ticks, options) => forecaster.forecast(ticks, options), ...overrides });
};
