import * as path from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { processEnvironment } from '../core/config/processEnvironment.ts';
import { readSettings } from '../core/config/settings.ts';
import { parseBars, parseDurationMs } from '../contract/duration.ts';
import { LIVE_MOST_FORECASTS } from '../contract/live.ts';
import { INPUT_NOTES } from '../contract/reasons.ts';
import { systemClock } from '../core/Clock.ts';
import { plural } from '../core/plural.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { US_PER_MS } from '../core/units.ts';
import { plansOf } from '../engine/live/liveMessages.ts';
import { STANDARD_INPUT } from '../ticks/import/bytes/fileChunks.ts';
import type { FeedTicks } from '../ticks/import/FeedBatch.ts';
import { readTickFeed } from '../ticks/import/tickFeed.ts';
import { usesMemory } from '../engine/forecast/memoryAt.ts';
import { LiveDesk } from '../engine/live/LiveDesk.ts';
import { LEAST_TICKS, MOST_TICKS } from '../engine/live/LiveSeries.ts';
import { localOwner } from '../engine/live/localOwner.ts';
import { EXCHANGE_NAMES, EXCHANGE_TITLES } from '../ticks/exchange/exchanges.ts';
import { openFeed, parseExchange, parseRecord, type ExchangeFlags } from './openFeed.ts';
import { suitedPlans } from './suitedPlans.ts';
import { act, jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';
import { addFileOptions, fileOptions, type FileFlags } from './files/importFile.ts';
import { unknownBarTime } from './files/barsOfFile.ts';
import { FeedHorizons } from './files/refuseShortHorizon.ts';
import { type FeedBars, openService, type OpenForecasts, type ServiceOutput, type Target } from './liveService.ts';
import { LivePrinter, LiveText, type Printed } from './liveText.ts';
import { fieldsOf } from '../contract/readOptions.ts';
import { addForecastFlags, type ForecastFlags, optionsOfFlags } from './forecastFlags.ts';
import { horizonUs, parseHorizon, parseSeries, positiveNumber, shortHorizonText, textThat, urlOf, wholeNumber } from './parseOptions.ts';
import { StopSignals } from './processEvents.ts';

const HELP = `
FILE is a recording: raw messages of an exchange, one in a line, or ticks in any format that tickmark import reads. With -, standard input is
read as it comes, so a WebSocket tool can be piped in: trades and best quotes of ${EXCHANGE_TITLES} and others, CSV with the header
timestamp,price, or JSON lines with these fields. Each symbol is a series.

Examples:
  $ tickmark live trades.ndjson --horizon 60s --every 5s
  $ tickmark live ticks.csv --horizon 10s,60s --every 5s --speed 10
  $ websocat wss://stream.binance.com:9443/ws/btcusdt@trade | tickmark live - --horizon 60s
  $ tickmark live --exchange binance --symbol BTC/USDT --horizon 60s,5m --record btc.ndjson.gz
  $ tickmark live trades.ndjson --horizon 60s --url http://127.0.0.1:8080 --key tkm_live_…

Forecasts are computed in this process, or by a service with --url. Prints a line for each forecast and outcome, and the score at the end.`;

type LiveFlags = GlobalOptions &
  FileFlags &
  ExchangeFlags &
  ForecastFlags & {
    readonly file?: string | undefined;
    readonly horizon: readonly string[];
    readonly every: string;
    readonly memory?: boolean;
    readonly ticks?: number;
    readonly series?: string;
    readonly speed?: number;
    readonly url?: string;
    readonly key?: string;
  };

export function addLive(program: Command, context: CliContext): void {
  const command = addFileOptions(program.command('live').argument('[file]', 'recorded feed or tick file; - reads standard input'))
    .description('forecast a recorded or live feed as its ticks come, with outcomes and a running score')
    .option('--horizon <durations>', 'how far ahead, separated by commas: 10s, 60s, 5m, 1h, of bars also 3bars (required)', parseDurations)
    .option('--every <duration>', 'time between forecasts on the clock of the ticks, or tick', parseEvery, '5s')
    .option('--ticks <count>', 'ticks of each window (default: the number that suits the horizon)', wholeNumber(LEAST_TICKS, MOST_TICKS))
    .option('--no-memory', 'forecasts do not use what the series has said before')
    .option('--series <name>', 'name of the series of ticks that name no symbol (default: the name of the file)', parseSeries)
    .option('--speed <number>', 'replay at this multiple of the recorded speed (default: as fast as possible)', positiveNumber(1_000_000))
    .option('--url <url>', 'service that computes the forecasts (default: this process)', urlOf('http', ', such as http://127.0.0.1:8080'))
    .option('--key <key>', 'API key for --url (default: the environment variable TICKMARK_KEY)')
    .option(
      '--exchange <name>',
      `forecast the live trades of --symbol, such as BTC/USDT, at this exchange: ${EXCHANGE_NAMES.join(', ')}, or ccxt:NAME`,
      parseExchange,
    )
    .option('--feed-url <url>', 'WebSocket address of --exchange (default: that of the exchange)', urlOf('ws'))
    .option(
      '--history-url <url>',
      'address of the last trades of --exchange (default: that of the exchange; none with --feed-url)',
      urlOf('http'),
    )
    .option('--quotes', 'best bid and ask of --exchange in place of its trades')
    .option('--record <file>', 'keep the messages of --exchange in this new file, .ndjson.gz, for live FILE', parseRecord);
  addForecastFlags(command, 'live')
    .addHelpText('after', HELP)
    .action(act(context, (own, file: string | undefined, flags: LiveFlags) => live(own, { ...flags, file }), 'horizon'));
}

async function live({ out, err, paint }: CliContext, flags: LiveFlags): Promise<void> {
  const options = optionsOfFlags('live', flags);
  const stop = new AbortController();
  const file = flags.file ?? flags.exchange ?? '';
  const feed = openFeed(flags, err, stop.signal);
  const plans = flags.horizon.map((horizon) => ({
    ...{ horizon, every: flags.every, options },
    ticks: flags.ticks,
  }));
  const lines = new LiveText(options.minMoveBps !== undefined, paint.out);
  const print = (message: Printed): void => out(flags.json === true ? jsonLine(message) : lines.text(message));
  const key = flags.url === undefined ? '' : keyOf(flags);
  const openTarget = async (bars: FeedBars | undefined): Promise<Target> =>
    flags.url === undefined
      ? openDesk(plans, flags, { print, err }, bars)
      : openService(
          {
            ...{ url: flags.url, key, memory: flags.memory, forecasts: plans, bars },
            waitsForLimit: feed === undefined && file !== STANDARD_INPUT,
          },
          { print, err },
        );
  let target: Target | undefined;
  let horizons: FeedHorizons | undefined;
  let unit = 'tick';
  /** At the first ticks: only then is it known whether they are bars. */
  const begin = async ({ bars, timesUs }: FeedTicks): Promise<Target> => {
    const command = `tickmark live ${file} --horizon ${flags.horizon.join()}`;
    if (bars !== undefined) {
      unit = 'bar';
      const { barTime, periodUs } = bars;
      const periodMs = periodUs / US_PER_MS;
      if (barTime === null) throw unknownBarTime({ path: file, command, periodMs, endUs: timesUs[0] });
      return openTarget({ barTime, periodMs });
    } else {
      const horizonsUs = flags.horizon.map((horizon) => horizonUs(parseHorizon(horizon), file, undefined));
      for (const aheadUs of horizonsUs) err(shortHorizonText(aheadUs));
      horizons = new FeedHorizons(horizonsUs);
    }
    return openTarget(undefined);
  };
  const pace = flags.speed === undefined ? undefined : new Pace(flags.speed);
  const series = flags.series ?? seriesNameOf(file);
  const signals = new StopSignals();
  let isStopped = false;
  void signals.first.then(() => (isStopped = true));
  try {
    const stopped = signals.first.then(() => undefined);
    const reading = readTickFeed(feed ?? file, { series, nowMs: systemClock.nowMs, say: err, file: fileOptions(flags) }, async (ticks) => {
      const opened = (target ??= await begin(ticks));
      horizons?.check(ticks);
      let from = 0;
      for (let to = 0; pace !== undefined && to < ticks.timesUs.length && !isStopped; to++) {
        const waitMs = pace.waitMs(ticks.timesUs[to]);
        if (waitMs <= 0) continue;
        await opened.push(ticks, from, to);
        from = to;
        await Promise.race([new Promise<void>((resolve) => systemClock.after(waitMs, resolve, true)), stopped]);
      }
      if (!isStopped) await opened.push(ticks, from, ticks.timesUs.length);
    });
    // After Ctrl-C, the rest of the input is not read; what was forecast is scored.
    const counts = await Promise.race([reading, stopped]);
    if (counts !== undefined && counts.outOfOrder > 0)
      err(`${plural(counts.outOfOrder, unit)} earlier than the one before were left out.\n`);
    if (counts !== undefined && counts.ahead > 0)
      err(`Left out: ${plural(counts.ahead, unit)} whose stamps were far ahead of those around them.\n`);
    if (counts !== undefined && counts.unfinished > 0)
      err(`Left out: ${plural(counts.unfinished, 'bar')} that ended less than one bar after the one before.\n`);
    if (counts?.ticks === 0) throw new ServiceError('file.malformed', `${file} has no tick.`);
  } finally {
    stop.abort();
    await feed?.close();
    await target?.close();
    signals.close();
    if (isStopped) process.stdin.destroy();
  }
}

function keyOf({ key = processEnvironment()['TICKMARK_KEY'] }: LiveFlags): string {
  if (key === undefined || !/^[!-~]+$/.test(key)) {
    const detail = '--url needs an API key without white space: --key, or the environment variable TICKMARK_KEY.';
    throw new ServiceError('command.invalid', detail);
  }
  return key;
}

/** Forecasts of this process. */
async function openDesk(
  plans: OpenForecasts,
  { memory }: LiveFlags,
  { print, err }: ServiceOutput,
  bars: FeedBars | undefined,
): Promise<Target> {
  const { openLocalForecaster } = await import('../service/app/openLocalForecaster.ts');
  const opened = await openLocalForecaster(readSettings());
  const hasCost = plans.some(({ options }) => options.minMoveBps === 'cost');
  const model = plans[0]?.options.model;
  const version = opened.models.find(model ?? opened.models.defaultId);
  const versionHas = version !== undefined && usesMemory(version, bars !== undefined);
  const sent = plansOf(
    plans.map(({ options, ...plan }) => ({ ...plan, ...fieldsOf('live plan', options) })),
    bars?.periodMs,
  );
  const parts = { model, bars, plans: bars === undefined ? suitedPlans(sent, version?.manifest, versionHas && memory !== false) : sent };
  const printer = new LivePrinter(print, err);
  /** Whether the version was trained on the ticks of a window, which is said once. */
  let isSeen = false;
  const owner = localOwner({
    usesMemory: versionHas,
    memory: memory === false ? 'off' : undefined,
    compute: (request, call) => opened.forecaster.forecast(request, call),
    send: (message) => {
      if (!isSeen && message.type === 'forecast' && message.notes?.includes('seen_in_training') === true) {
        isSeen = true;
        err(`${INPUT_NOTES.seen_in_training}\n`);
      }
      printer.read(message);
    },
  });
  const desk = new LiveDesk(owner);
  return {
    async push({ series, timesUs, prices, bids, asks, ranges, replaces }, from, to) {
      for (let i = from; i < to; i++) {
        const name = series[i];
        let open = desk.series.get(name);
        if (open === undefined) {
          const ended = replaces.get(name);
          if (ended !== undefined && desk.series.has(ended)) await desk.closeSeries(ended);
          open = (await desk.begin({ ...parts, name, readMemory: owner.readMemory() }))!;
        }
        for (let wait; (wait = desk.waitFor(open, timesUs[i])) !== undefined;) await wait;
        if (hasCost && Number.isNaN(bids[i]))
          throw new ServiceError('command.invalid', `--min-move-bps is cost, but ${name} has a tick without bid and ask.`, {
            remedy: 'Name your cost in basis points.',
          });
        const spreadBps = (20_000 * (asks[i] - bids[i])) / (asks[i] + bids[i]);
        desk.push(open, timesUs[i], prices[i], spreadBps, rangeOf(ranges[i]));
      }
      await desk.untilFree();
    },
    async close() {
      try {
        for (const name of desk.series.keys()) await desk.closeSeries(name);
        printer.end();
      } finally {
        await opened.close();
      }
    },
  };
}

const rangeOf = (range: readonly number[] | undefined) => range && { open: range[0], high: range[1], low: range[2] };

/** When each tick of a recording is due. */
class Pace {
  readonly #speed: number;
  #startMs = NaN;
  #firstUs = NaN;

  constructor(speed: number) {
    this.#speed = speed;
  }

  /** Milliseconds until the tick is due; at most 0: now. */
  waitMs(timeUs: number): number {
    const nowMs = systemClock.monotonicMs();
    if (Number.isNaN(this.#startMs)) [this.#startMs, this.#firstUs] = [nowMs, timeUs];
    return this.#startMs + (timeUs - this.#firstUs) / US_PER_MS / this.#speed - nowMs;
  }
}

const isDuration = (text: string): boolean => parseDurationMs(text) !== undefined;
const parseEvery = textThat(
  (text) => text === 'tick' || isDuration(text),
  'Write a whole number with its unit, at most one day: 5s; or tick.',
);

function parseDurations(text: string): string[] {
  const all = [...new Set(text.split(','))];
  if (all.length > LIVE_MOST_FORECASTS || !all.every((each) => isDuration(each) || parseBars(each) !== undefined))
    throw new InvalidArgumentError(
      'Write whole numbers with their units, at most one day, separated by commas: 10s,60s,5m; of bars also 3bars.',
    );
  return all;
}

/** `ticks` for `data/ticks.csv.gz`. */
function seriesNameOf(file: string): string {
  const name = file === STANDARD_INPUT ? 'ticks' : path.basename(file).replace(/\..*$/, '');
  return name.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, 64) || 'ticks';
}
