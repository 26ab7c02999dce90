import { Ajv } from 'ajv';
import { WebSocket } from 'ws';
import { LiveRefusedError, TickmarkClient, type LiveConnection, type LiveMessage } from '../../clients/typescript/src/index.ts';
import { SERVER_MESSAGES } from '../../src/contract/live.ts';
import type { Allowances } from './Allowances.ts';
import { sleep } from './Fault.ts';
import type { Ledger } from './Ledger.ts';
import { LIVE_PLANS, LiveLap, type LiveFeed } from './liveFeeds.ts';

const TICKS_PER_STEP = 10;
const STEP_MS = 100;
/** While it is connected, a bot gets what its last ticks made within this time. */
const SETTLES_MS = 10_000;
/** A connection that was cut may be noticed this long after the fault. */
const NOTICED_MS = 1000;
/** Reports of skipped forecasts come within a second, and are lost with their connection. */
const UNREPORTED = 8;

const ajv = new Ajv({ allowUnionTypes: true });
const schemas = new Map<string, (message: object) => boolean>(
  Object.entries(SERVER_MESSAGES).map(([name, schema]) => [name, ajv.compile(schema)]),
);

export type BotDeps = { readonly ledger: Ledger; readonly allowances: Allowances; readonly url: string; readonly apiKey: string };
/** A series that was closed, for the check of the track record. */
export type ClosedLap = { readonly series: string; readonly lap: LiveLap; readonly fromMs: number; readonly toMs: number };

/** A bot as in the documentation of the TypeScript client: it pushes the ticks of one series after the other, and checks all that it gets. */
export class LiveBot {
  readonly laps: ClosedLap[] = [];
  /** When connections ended. */
  readonly endsMs: number[] = [];
  readonly #name: string;
  readonly #deps: BotDeps;
  readonly #feed: LiveFeed;
  readonly #live: LiveConnection;
  /** Resolves when the series that it pushes now has ended. */
  lapEnd: Promise<void> | undefined;
  #current: { readonly series: string; readonly lap: LiveLap } | undefined;
  /** Whether the service has answered on this connection. */
  #isConnected = false;
  #isGoingAway = false;
  #isDraining = false;
  #isStopped = false;

  constructor(name: string, feed: LiveFeed, deps: BotDeps) {
    this.#name = name;
    this.#feed = feed;
    this.#deps = deps;
    this.#live = new TickmarkClient({ baseUrl: deps.url, apiKey: deps.apiKey }).live({ WebSocket, firstWaitMs: 100, longestWaitMs: 500 });
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const reading = this.#read();
    for (let lap = 0; !this.#isStopped; lap++) await (this.lapEnd = this.#runLap(`${this.#name}.${lap}`));
    await reading;
  }

  /** From now on, the service tells the bot that it goes away, and closes its connection with 1001. */
  expectDrain(): void {
    this.#isDraining = this.#isConnected;
  }

  stop(): void {
    if (this.#isDraining) this.#deps.ledger.check('drained', 'a live connection is open after the service has ended');
    this.#isStopped = true;
    this.#live.close();
  }

  async #runLap(series: string): Promise<void> {
    const { ledger } = this.#deps;
    const { ticks } = this.#feed;
    const lap = new LiveLap(this.#feed);
    const fromMs = performance.now();
    this.#current = { series, lap };
    this.#live.open({ series, forecasts: LIVE_PLANS.map(({ horizon, every }) => ({ horizon, every })), memoryOff: true });
    for (let at = 0; at < ticks.length && !this.#isStopped; at += TICKS_PER_STEP) {
      this.#live.push(series, ticks.slice(at, at + TICKS_PER_STEP));
      await sleep(STEP_MS);
    }
    const isWhole = (): boolean => {
      const cuts = this.endsMs.filter((ms) => ms > fromMs).length;
      return lap.missing.outcomes === 0 && lap.missing.forecasts <= UNREPORTED * cuts;
    };
    await this.#settles(isWhole);
    if (this.#isStopped) return;
    const { forecasts, outcomes } = lap.missing;
    ledger.check('resumed', isWhole() ? undefined : `${series}: ${forecasts} forecasts and ${outcomes} outcomes are missing`);
    ledger.count('live series', forecasts + lap.skipped === 0 ? 'whole' : 'with skipped forecasts');
    this.laps.push({ series, lap, fromMs, toMs: performance.now() });
    this.#live.closeSeries(series);
  }

  /** Waits until it is so, for a time in which the bot is connected. */
  async #settles(isSo: () => boolean): Promise<void> {
    let fromMs = performance.now();
    while (!isSo() && !this.#isStopped) {
      const nowMs = performance.now();
      if (!this.#isConnected) fromMs = nowMs;
      if (nowMs - fromMs > SETTLES_MS + this.#deps.allowances.overlapMs('delay', fromMs, nowMs)) return;
      await sleep(50);
    }
  }

  async #read(): Promise<void> {
    try {
      for await (const message of this.#live) this.#check(message);
    } catch (error) {
      const promise = error instanceof LiveRefusedError ? 'keys' : 'documented';
      this.#deps.ledger.check(promise, `live connection: ${(error as Error).message}`);
      this.stop();
    }
  }

  #check(message: LiveMessage): void {
    const { ledger } = this.#deps;
    if (message.type === 'connected') return;
    if (message.type === 'disconnected') return this.#checkClose(message.code);
    if (message.type === 'dropped') return ledger.check('resumed', `a bot reads too slowly: ${message.count} messages were dropped`);
    const isDocumented = schemas.get(message.type)?.(message) === true;
    ledger.check('documented', isDocumented ? undefined : `live message ${JSON.stringify(message).slice(0, 200)}`);
    ledger.count('live', message.type === 'error' ? message.code : message.type);
    // A service that starts accepts connections and refuses what they send.
    if (message.type !== 'error') this.#isConnected = true;
    if (message.type === 'status' && message.code === 'going_away') this.#isGoingAway = true;
    const { series, lap } = this.#current ?? {};
    if (lap === undefined) return;
    if (message.type === 'status') lap.skipped += Object.values(message.skipped ?? {}).reduce((sum, count) => sum + count, 0);
    if (message.type === 'forecast' && message.series === series) ledger.check('right', lap.forecast(message));
    if (message.type === 'outcome' && message.series === series) ledger.check('right', lap.outcome(message));
  }

  #checkClose(code: number): void {
    const { ledger, allowances } = this.#deps;
    const nowMs = performance.now();
    ledger.count('live', `closed with ${code}`);
    if (this.#isDraining) {
      const isRight = code === 1001 && this.#isGoingAway;
      ledger.check('drained', isRight ? undefined : `closed with ${code}, ${this.#isGoingAway ? '' : 'not '}told before`);
    } else if (this.#isConnected) {
      const mayCut = allowances.overlapMs('cut', nowMs - NOTICED_MS, nowMs) > 0;
      ledger.check('kept', mayCut ? undefined : `a live connection was closed with ${code}`);
    }
    if (this.#isConnected) this.endsMs.push(nowMs);
    this.#isConnected = this.#isGoingAway = this.#isDraining = false;
  }
}
