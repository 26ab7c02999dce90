import { writeFileSync } from 'node:fs';
import type { TouchBy } from '../../engine/features/Touches.ts';
import type { Command } from 'commander';
import { writing } from '../../core/fileErrors.ts';
import { readSettings } from '../../core/config/settings.ts';
import { plural } from '../../core/plural.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES, US_PER_MS, US_PER_SECOND } from '../../core/units.ts';
import type { Wish } from '../../engine/scoring/payoff.ts';
import { suitableBarsOfFile, suitableTicksOfFile, USUAL_TICKS } from '../../engine/model/suitableTicks.ts';
import { usesMemory } from '../../engine/forecast/memoryAt.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, progressOf } from '../CliContext.ts';
import { addFileOptions, type FileFlags, readTicks } from '../files/importFile.ts';
import { barsOfFile } from '../files/barsOfFile.ts';
import { refuseShortHorizon } from '../files/refuseShortHorizon.ts';
import { seenInTraining } from '../files/seenInTraining.ts';
import {
  formatDuration,
  type Horizon,
  horizonText,
  horizonUs,
  parseDuration,
  parseHorizon,
  shortHorizonText,
  wholeNumber,
} from '../parseOptions.ts';
import { addForecastFlags, type ForecastFlags, optionsOfFlags, parserOf } from '../forecastFlags.ts';
import { CUTS, FORECAST_OPTIONS } from '../../contract/forecastOptions.ts';
import type { TickFile } from '../../ticks/import/streamTickFile.ts';
import { number } from '../../contract/optionForms.ts';
import type { ReplayedWindow, ReplayOptions } from '../../engine/forecast/replayTicks.ts';
import { SeriesRates } from '../../engine/live/SeriesRates.ts';
import { replayText, type Replay } from './forecastText.ts';

/** What waits at the prices of --touch. */
const orderOf = parserOf(FORECAST_OPTIONS.touch_by.form, 'limit');
/** A fraction of windows, or of marks. */
const fraction = parserOf(number(CUTS), 0.05);

const MIN_TICKS = MIN_ENTRIES - 1;
const MAX_TICKS = MAX_ENTRIES - 1;

const HELP = `
FILE has any format that tickmark import reads. Each forecast uses only the ticks up to its window's end and is compared with the ticks that follow.

Examples:
  $ tickmark replay ticks.csv.gz --horizon 60s
  $ tickmark replay ticks.csv --horizon 5m --ticks 1000 --min-move-bps 2.5
  $ tickmark replay ticks.csv --horizon 10s --last 500 --windows windows.csv
  $ tickmark replay ticks.csv --horizon 5m --min-move-bps 6.3 --hit-rate 0.5
  $ tickmark replay ticks.csv --horizon 5m --min-move-bps 10 --touch

Prints the results next to those of two baselines that learn from the outcomes before each window: the volatility baseline of the version with
slope and intercept of these ticks, and the base rate so far. Says whether trades at the cost of --min-move-bps would
have paid: for the marks, for as many windows by the baseline, and by smallest marked probability. Windows on ticks that the version was trained on do not count.
For a baseline fitted to these ticks and confidence intervals for every horizon, run tickmark evaluate.`;

type ReplayFlags = GlobalOptions &
  FileFlags &
  ForecastFlags & {
    readonly horizon: Horizon;
    readonly ticks?: number;
    readonly every?: number;
    readonly last?: number;
    readonly markShare?: number;
    readonly hitRate?: number;
    readonly memory?: boolean;
    readonly windows?: string;
    readonly touch?: true | TouchBy;
  };

export function addReplay(program: Command, context: CliContext): void {
  const command = addFileOptions(program.command('replay').argument('<file>', 'tick file of any known format; - reads standard input'))
    .description('replay a file in time order and count how often the forecasts were right')
    .option('--horizon <duration>', 'how far ahead: 10s, 60s, 5m, 1h, 1d, of bars also 3bars (required)', parseHorizon)
    .option(
      '--ticks <count>',
      'ticks of each window (default: as a live series: 500, with --no-memory the number that suits the horizon)',
      wholeNumber(MIN_TICKS, MAX_TICKS),
    )
    .option('--every <duration>', 'time from one window to the next (default: the horizon plus 1 s, of bars the horizon)', parseDuration)
    .option('--last <count>', 'only this number of last windows', wholeNumber(1, 10_000_000))
    .option('--mark-share <share>', 'propose the probability that marks this fraction of the windows, such as 0.05', fraction)
    .option('--hit-rate <rate>', 'propose the probability from which this fraction of the marks comes true, such as 0.5', fraction)
    .option(
      '--touch [order]',
      'also ask whether the prices at the threshold are reached: by limit (with bid and ask the default), stop or mid',
      orderOf,
    )
    .option('--no-memory', 'each window stands alone: the ticks and outcomes before it are not used')
    .option('--windows <file>', 'write a CSV file with a line for each window');
  addForecastFlags(command, 'replay')
    .addHelpText('after', HELP)
    .action(act(context, replay, 'horizon'));
}

async function replay({ out, err }: CliContext, path: string, flags: ReplayFlags): Promise<void> {
  const settings = readSettings();
  const wish = wishOf(flags);
  const { markRate, ...wanted } = optionsOfFlags('replay', flags);
  const by = flags.touch === true ? undefined : flags.touch;
  const file = await readTicks(path, flags, err, flags.touch === undefined ? undefined : Infinity);
  const { path: name, series, rows, sha256, spreadBps } = file;
  const bars = barsOfFile(file, `tickmark replay ${path} --horizon ${horizonText(flags.horizon)}`);
  const aheadUs = horizonUs(flags.horizon, name, bars);
  const everyUs = leastEvery(flags.every, aheadUs, bars === undefined ? US_PER_SECOND : 0);
  const minMoveBps = wanted.minMoveBps === 'cost' ? costOf(name, spreadBps(MAX_TICKS)) : wanted.minMoveBps;
  if (bars === undefined) {
    err(shortHorizonText(aheadUs));
    refuseShortHorizon(name, series, aheadUs);
  }
  const [{ openLocalForecaster }, { replayOrigins, replayTicks }, { touchCalibration }, { trackRecord }] = await Promise.all([
    import('../../service/app/openLocalForecaster.ts'),
    import('../../engine/forecast/replayTicks.ts'),
    import('../../engine/forecast/touchCalibration.ts'),
    import('../../../training/replay/trackRecord.ts'),
  ]);
  const open = await openLocalForecaster(settings);
  const progress = progressOf(err, flags.json);
  try {
    const id = wanted.model ?? open.models.defaultId;
    const model = open.models.find(id);
    const withMemory = flags.memory !== false && model !== undefined && usesMemory(model, bars !== undefined);
    const suited = (): number =>
      model === undefined ? USUAL_TICKS : suitableTicksOfFile(model.manifest, aheadUs / US_PER_SECOND, rows, withMemory);
    const ticks = flags.ticks ?? (bars === undefined ? suited() : suitableBarsOfFile(rows));
    const options = {
      ...{ ticks, stretches: withMemory && flags.ticks === undefined, horizonUs: aheadUs, everyUs },
      bars,
      most: flags.last,
      options: { ...wanted, minMoveBps },
      rate: markRate === undefined ? undefined : rateOf(markRate),
      touch: flags.touch === undefined ? undefined : touchOf(by, file),
      memory: flags.memory === false ? ('off' as const) : undefined,
    };
    const origins = replayOrigins(series, options);
    if (origins.length === 0)
      throw new ServiceError(
        'request.invalid',
        `${name} holds ${plural(rows, bars === undefined ? 'tick' : 'bar')}; a window takes ${ticks}.`,
        {
          remedy: `Give a longer file${ticks > MIN_TICKS ? `, or a smaller number with --ticks, ${MIN_TICKS} at least` : ''}.`,
        },
      );
    const windows = [];
    for await (const window of replayTicks(open.forecaster, series, options, origins)) {
      windows.push(window);
      progress.show(`replaying: ${windows.length} of ${plural(origins.length, 'window')}`, true);
    }
    progress.end();
    const seen = model === undefined ? [] : await seenInTraining({ sha256, series }, model.manifest);
    const isSeen = ({ timeUs }: { readonly timeUs: number }): boolean =>
      seen.some(({ fromUs, toUs }) => timeUs <= toUs && timeUs + aheadUs >= fromUs);
    const record = trackRecord(windows, aheadUs, isSeen, wish);
    if (flags.windows !== undefined) writeWindows(flags.windows, windows);
    const span = { fromUs: windows[0].timeUs, toUs: windows.at(-1)!.timeUs };
    const replayed: Replay = {
      file: name,
      rows,
      model: id,
      ticks,
      unit: bars === undefined ? 'tick' : 'bar',
      horizonUs: aheadUs,
      ...span,
      record,
      minMoveBps: minMoveBps ?? null,
      touch: flags.touch === undefined ? undefined : touchCalibration(windows, (window) => !window.isSeen && !isSeen(window)),
      spreadBps: spreadBps(MAX_TICKS),
      wish,
      memoryUnused: windows.find(({ memoryUnused }) => memoryUnused !== undefined)?.memoryUnused,
    };
    out(flags.json ? jsonLine(asJson(replayed)) : replayText(replayed));
  } finally {
    progress.end();
    await open.close();
  }
}

/** The time between windows whose outcomes do not overlap. Throws ServiceError `command.invalid` for a shorter one. */
function leastEvery(every: number | undefined, aheadUs: number, delayUs: number): number {
  const least = aheadUs + delayUs;
  if (every === undefined || every >= least) return every ?? least;
  throw new ServiceError(
    'command.invalid',
    `--every ${formatDuration(every)} lets outcomes overlap: it must be ${formatDuration(least)} or more for this horizon.`,
  );
}

/** The median spread as the threshold. Throws ServiceError `request.invalid` without one. */
function costOf(name: string, spreadBps: number | undefined): number {
  if (spreadBps !== undefined && spreadBps > 0) return spreadBps;
  const why = spreadBps === undefined ? 'has no bid and ask' : 'has a median spread of 0';
  throw new ServiceError('command.invalid', `--min-move-bps is cost, but ${name} ${why}.`, { remedy: 'Name your cost in basis points.' });
}

/** Throws ServiceError `command.invalid` for orders without bid and ask. */
function touchOf(by: TouchBy | undefined, { path, series, spreadsBps }: TickFile): NonNullable<ReplayOptions['touch']> {
  if (spreadsBps.length === series.timesUs.length) return { by, spreadsBps };
  if (by === undefined || by === 'mid') return { by };
  throw new ServiceError('command.invalid', `--touch is ${by}, but ${path} has no bid and ask.`, { remedy: 'Use --touch alone.' });
}

/** As `mark_rate` of a series: one series, one horizon, one threshold. */
function rateOf(rate: number): NonNullable<ReplayOptions['rate']> {
  const rates = new SeriesRates();
  const key = { accountId: '', series: '', horizon: 0, minMoveBps: null };
  return { cut: () => rates.cut(key, rate), add: (model, timeUs, probability) => rates.add(key, model, timeUs, probability) };
}

/** What the caller wants of marks. Throws ServiceError `command.invalid` for two wishes. */
function wishOf({ markShare: share, hitRate }: Pick<ReplayFlags, 'markShare' | 'hitRate'>): Wish | undefined {
  if (share !== undefined && hitRate !== undefined)
    throw new ServiceError('command.invalid', '--mark-share and --hit-rate were both given: a probability can fulfil only one of them.');
  return share !== undefined ? { share } : hitRate !== undefined ? { hitRate } : undefined;
}

function asJson({ fromUs, toUs, horizonUs: aheadUs, unit, memoryUnused, ...rest }: Replay): unknown {
  return {
    ...rest,
    memory_unused: memoryUnused,
    unit: unit === 'bar' ? unit : undefined,
    horizon_ms: aheadUs / US_PER_MS,
    from: formatTimestamp(fromUs, 6),
    to: formatTimestamp(toUs, 6),
  };
}

const WINDOWS_HEADER = 'timestamp,price,trend_identified,probability,baseline_probability,min_move_bps,move_bps,outcome,reasons';

/** Writes one line per window; unknown values are empty. Throws ServiceError `file.unwritable`. */
function writeWindows(file: string, windows: readonly ReplayedWindow[]): void {
  const lines = windows.map(({ timeUs, price, mark, probability, baselineProbability, minMoveBps, moveBps, outcome, reasons }) =>
    [formatTimestamp(timeUs, 6), price, mark, probability, baselineProbability, minMoveBps, moveBps, outcome, reasons.join(' ')]
      .map((value) => value ?? '')
      .join(','),
  );
  writing(file, () => writeFileSync(file, `${[WINDOWS_HEADER, ...lines].join('\n')}\n`));
}
