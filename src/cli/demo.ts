import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Command } from 'commander';
import type { RunningService } from '../service/app/startService.ts';
import { buildTickBody, TickmarkClient } from '../../clients/typescript/src/index.ts';
import { readSettings } from '../core/config/settings.ts';
import { systemClock } from '../core/Clock.ts';
import { silentLogger } from '../core/Logger.ts';
import { US_PER_MINUTE } from '../core/units.ts';
import { syntheticTicks } from '../ticks/syntheticTicks.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import { jsonLine, type CliContext, type CliOutput, type GlobalOptions } from './CliContext.ts';
import { TickCsvWriter } from './files/TickCsvWriter.ts';
import { STOP_CODES, StopSignals } from './processEvents.ts';

const HELP = `
Examples:
  $ tickmark demo
  $ tickmark demo --json

Generates a tick file, checks it, starts the service on a free port, signs up, requests a forecast over HTTP, replays the file and compares the score
with the volatility baseline. Works in a temporary folder, which it removes at the end. Takes less than 30 s.`;

/** Under two hours: enough windows for a score. */
const TICKS = 20_000;
const SEED = 20_240_102;
/** Ticks of a request, as the console sends them. */
const WINDOW = 499;
const HORIZON = '60s';
const LATEST_MS = 60_000;
const GENERATED = 'The ticks are generated: no figure here says anything about a market.';

/** Runs one command line of tickmark, with its own output. Resolves to the exit code. */
export type RunCommand = (argv: readonly string[], output: CliOutput) => Promise<number>;

export function addDemo(program: Command, context: CliContext, runCommand: RunCommand): void {
  program
    .command('demo')
    .description('show the whole workflow on generated ticks: file check, service, forecast, track record')
    .addHelpText('after', HELP)
    .action(async (_options: unknown, command: Command) => demo(context, command.optsWithGlobals<GlobalOptions>(), runCommand));
}

async function demo(context: CliContext, { json = false }: GlobalOptions, runCommand: RunCommand): Promise<void> {
  const signals = new StopSignals();
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-demo-'));
  const story = new DemoStory(context, folder, json, runCommand);
  try {
    const told = story.tell();
    told.catch(() => {});
    const signal = await Promise.race([told, signals.first]);
    if (signal !== undefined) context.fail(STOP_CODES[signal]);
  } finally {
    await story.close();
    rmSync(folder, { recursive: true, force: true });
    signals.close();
  }
}

/** The steps of the demonstration, in their order. `close` once, at its end or in the middle. */
class DemoStory {
  readonly #context: CliContext;
  readonly #folder: string;
  readonly #json: boolean;
  readonly #run: RunCommand;
  readonly #results: Record<string, unknown> = {};
  #starting: Promise<RunningService> | undefined;
  #isClosed = false;

  constructor(context: CliContext, folder: string, json: boolean, run: RunCommand) {
    this.#context = context;
    this.#folder = folder;
    this.#json = json;
    this.#run = run;
  }

  async tell(): Promise<void> {
    const startMs = systemClock.monotonicMs();
    const file = path.join(this.#folder, 'ticks.csv');
    this.#say(`A demonstration on ${TICKS.toLocaleString('en-US')} ticks. ${GENERATED}\n`);
    const series = syntheticTicks({ seed: SEED, count: TICKS });
    await writeTicks(file, series);
    const isDone =
      (await this.#command('1. Look a tick file over', 'doctor', [file])) &&
      (await this.#forecast(series)) &&
      (await this.#command('3. Replay the file, and compare the answers with what came', 'replay', [file, '--horizon', HORIZON]));
    if (!isDone) return;
    const seconds = Math.round((systemClock.monotonicMs() - startMs) / 1000);
    if (this.#json) return this.#context.out(jsonLine({ generated: true, about: GENERATED, ...this.#results, seconds }));
    this.#say(`
That was all of it, in ${seconds} s. ${GENERATED}
The temporary folder is removed. Next, with a file of your own:
  tickmark doctor FILE
  tickmark replay FILE --horizon ${HORIZON}
  tickmark serve
`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#starting?.catch(() => undefined))?.close();
  }

  #say(text: string): void {
    if (!this.#json) this.#context.out(text);
  }

  /** Whether the command ended with 0; if not, it has said why. */
  async #command(title: string, command: string, args: readonly string[]): Promise<boolean> {
    this.#say(`\n${title}\n$ tickmark ${command} ${args.join(' ')}\n`);
    let printed = '';
    const out = this.#json ? (text: string): void => void (printed += text) : (text: string) => this.#context.out(text);
    const code = await this.#run([command, ...args, ...(this.#json ? ['--json'] : [])], { ...this.#context, out });
    if (code !== 0) this.#context.fail(code);
    else if (this.#json) this.#results[command] = JSON.parse(printed);
    return code === 0;
  }

  /** Signs up at a service of its own and asks it about the last ticks. */
  async #forecast({ timesUs, prices }: TickSeries): Promise<boolean> {
    const { startService } = await import('../service/app/startService.ts');
    // The folder is gone: a store opened now would make it again.
    if (this.#isClosed) return false;
    const settings = readSettings();
    this.#starting = startService(
      {
        ...settings,
        ...{ host: '127.0.0.1', port: 0, metricsPort: 0, trustProxy: false, corsOrigins: [], signup: 'open' },
        // One caller, maybe on a slow machine: a late answer is better than a refusal.
        forecastDeadlineMs: LATEST_MS,
        ...{ dataDir: this.#folder, mongodbUri: '', limits: { ...settings.limits, areShared: false } },
      },
      { logger: silentLogger },
    );
    const { url } = await this.#starting;
    const password = randomBytes(12).toString('hex');
    const email = 'demo@example.com';
    const { api_key: apiKey } = await new TickmarkClient({ baseUrl: url }).signUp({ email, password, confirm_password: password });
    const from = timesUs.length - WINDOW;
    const ticks = Array.from({ length: WINDOW }, (_, i) => ({ timeUs: timesUs[from + i], price: prices[from + i] }));
    const body = buildTickBody(ticks, { timeUs: timesUs.at(-1)! + US_PER_MINUTE });
    const answer = await new TickmarkClient({ baseUrl: url, apiKey }).forecast(body, { detail: true });
    const { trend_identified: mark, detail } = answer;
    this.#results['forecast'] = { timestamp: answer.timestamp, trend_identified: mark, detail };
    const why = detail?.reasons.map(({ text }) => text).join('; ') ?? '';
    this.#say(`
2. Start the service, sign up, and ask for a forecast over HTTP
The service listens on ${url}, in this process.
POST /signup        an account for ${email}, with a key
POST /auth/ti-tick  the last ${WINDOW} ticks and the time ${HORIZON} later; the answer at ${answer.timestamp}:
  ${mark === 1 ? '1: a move larger than the threshold is identified' : `null: ${why}`}
`);
    return true;
  }
}

async function writeTicks(file: string, { timesUs, prices }: TickSeries): Promise<void> {
  const writer = new TickCsvWriter(file, false);
  try {
    writer.add(timesUs, prices);
    await writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
}
