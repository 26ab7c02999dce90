import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { TickmarkClient } from '../../clients/typescript/src/index.ts';
import type { Random } from '../../src/core/Random.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import type { Allowances } from './Allowances.ts';
import type { Ledger } from './Ledger.ts';
import { LiveBot, type ClosedLap } from './LiveBot.ts';
import { type DueForecast, learnForecast, LIVE_PLANS, LiveFeed, LiveLap } from './liveFeeds.ts';
import { demand, keyIn, post, signUpOf } from './send.ts';

const BOTS = 3;
const EMAIL = 'chaos-live@example.com';
/** The track record is written every 10 s: what a killed process has counted since then is lost. */
const FLUSHED_MS = 12_000;

export type LiveBotsDeps = { readonly ledger: Ledger; readonly allowances: Allowances; readonly random: Random };

/** Live series of the run: bots with their own account, and what the track record has of them at the end. */
export class LiveBots {
  readonly #deps: LiveBotsDeps;
  readonly #feeds: readonly LiveFeed[];
  #bots: readonly LiveBot[] = [];
  #running: Promise<unknown> | undefined;
  #apiKey = '';

  constructor(deps: LiveBotsDeps) {
    this.#deps = deps;
    this.#feeds = Array.from({ length: BOTS }, () => new LiveFeed(deps.random));
  }

  /**
   * Gets the right forecasts from POST /auth/ti-tick, and the right outcomes from a live series, whose forecasts must equal them. Throws if
   * they differ, before any fault.
   */
  async learn(port: number): Promise<void> {
    this.#apiKey = keyIn(await demand(port, signUpOf(EMAIL)));
    for (const feed of this.#feeds) {
      const learn = async (due: DueForecast): Promise<void> =>
        learnForecast(due, await demand(port, post('/auth/ti-tick?detail=full', due.body, this.#apiKey)));
      await Promise.all([...feed.due.values()].map(learn));
      await this.#learnOutcomes(port, feed);
    }
  }

  start(port: number): void {
    const { ledger, allowances } = this.#deps;
    const deps = { ledger, allowances, url: `http://127.0.0.1:${port}`, apiKey: this.#apiKey };
    this.#bots = this.#feeds.map((feed, i) => new LiveBot(`bot${i}`, feed, deps));
    this.#running = Promise.all(this.#bots.map((bot) => bot.run()));
  }

  /** Resolves when each bot has ended the series that it pushes now. */
  async finishLaps(): Promise<void> {
    await Promise.all(this.#bots.map((bot) => bot.lapEnd));
  }

  /** The service gets SIGTERM now. */
  expectDrain(): void {
    for (const bot of this.#bots) bot.expectDrain();
  }

  async stop(): Promise<void> {
    for (const bot of this.#bots) bot.stop();
    await this.#running;
  }

  /** Compares the track record of a stopped service with what the bots have read. */
  async checkRecord(folder: string): Promise<void> {
    const args = [path.join(ROOT, 'bin', 'tickmark.js'), 'track-record', EMAIL, '--json'];
    const env = { ...process.env, DATA_DIR: folder, MONGODB_URI: '' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    const counted = new Map<string, number>();
    for (const { series, outcomes } of (JSON.parse(stdout) as { rows: { series: string; outcomes: number }[] }).rows)
      counted.set(series, (counted.get(series) ?? 0) + outcomes);
    for (const bot of this.#bots)
      for (const closed of bot.laps) this.#deps.ledger.check('counted', recordFault(closed, bot.endsMs, counted.get(closed.series) ?? 0));
  }

  async #learnOutcomes(port: number, feed: LiveFeed): Promise<void> {
    const lap = new LiveLap(feed);
    const live = new TickmarkClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: this.#apiKey }).live({ WebSocket });
    live.open({ series: 'calm', forecasts: LIVE_PLANS.map(({ horizon, every }) => ({ horizon, every })), memoryOff: true });
    live.push('calm', feed.ticks);
    live.score('calm');
    for await (const message of live) {
      const fault = message.type === 'forecast' ? lap.forecast(message) : message.type === 'error' ? message.detail : undefined;
      if (fault !== undefined) throw new Error(`live series before any fault: ${fault}`);
      if (message.type === 'outcome') lap.learnOutcome(message);
      // After the last forecast and outcome.
      if (message.type === 'score') break;
    }
    if (lap.missing.forecasts > 0) throw new Error(`live series before any fault: ${lap.missing.forecasts} forecasts are missing`);
  }
}

/** No outcome may count twice. Each one counts once if no connection of the bot ended before the record was written. */
function recordFault({ series, lap, fromMs, toMs }: ClosedLap, endsMs: readonly number[], counted: number): string | undefined {
  const isDisturbed = endsMs.some((ms) => ms > fromMs && ms < toMs + FLUSHED_MS);
  if (counted === lap.scored || (isDisturbed && counted <= lap.scored + lap.absent)) return undefined;
  return `${series}${isDisturbed ? ', connected again' : ''}: ${counted} outcomes in the track record, ${lap.scored} were sent`;
}
