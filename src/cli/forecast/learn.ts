import type { Command } from 'commander';
import { readSettings } from '../../core/config/settings.ts';
import { systemClock } from '../../core/Clock.ts';
import { plural } from '../../core/plural.ts';
import { quoteValue, ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { usesMemory } from '../../engine/forecast/memoryAt.ts';
import { ownWeightsText } from '../../engine/forecast/ownWeightsText.ts';
import { plansOf } from '../../engine/live/liveMessages.ts';
import { OWN_NAMES } from '../../engine/memory/OwnWeights.ts';
import { SeriesMemory } from '../../engine/memory/SeriesMemory.ts';
import { withAccounts } from '../../service/app/withAccounts.ts';
import { otherKind } from '../../service/live/otherKind.ts';
import type { MemoryKey, MemoryStore } from '../../service/live/MemoryStore.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, progressOf } from '../CliContext.ts';
import { barsOfFile } from '../files/barsOfFile.ts';
import { addFileOptions, type FileFlags, readTicks } from '../files/importFile.ts';
import { parseSeries } from '../parseOptions.ts';
import { teachSeries } from './teachSeries.ts';

const HORIZONS = { ticks: '60s,5m,30m', bars: '5bars,30bars' };

/** Outcomes do not overlap: the first forecast after the end of one is at most a fourth of the horizon late. */
const FORECASTS_TO_A_HORIZON = 4;

const HELP = `
Examples:
  $ tickmark learn eurusd-2024.csv.gz --series eurusd --account trader@example.com
  $ tickmark learn bars.csv --bar-time open --series silver --account trader@example.com --horizons 5bars,1h

FILE has any format that tickmark import reads. The series then knows what a live series has learned from the same ticks: the time of day, how much
the price usually moves, and how far its forecasts of these horizons came true. Nothing is counted in the track record, and no limit is used.
Writes to the account store (DATA_DIR or MONGODB_URI), also while a service runs. Run it before the first forecast of the series: an older past
cannot be added, and ticks that are known already are left out. A long file takes minutes.
Without access to the store, play the file as a live series of that name: tickmark live FILE --url URL --series NAME --horizon 60s,5m,30m --every 15s.`;

type LearnFlags = GlobalOptions &
  FileFlags & { readonly series: string; readonly account: string; readonly horizons?: string; readonly replace?: boolean };

export function addLearn(program: Command, context: CliContext): void {
  addFileOptions(program.command('learn').argument('<file>', 'ticks or bars of one market, in any known format'))
    .description('teach a series of an account its past, before its first forecast')
    .requiredOption('--series <name>', 'the name that requests and live series use', parseSeries)
    .requiredOption('--account <account>', 'e-mail or id of the account')
    .option('--horizons <list>', `horizons whose outcomes are learned (default: ${HORIZONS.ticks}; of bars ${HORIZONS.bars})`)
    .option('--replace', 'begin again with this file, if the series has learned anything')
    .addHelpText('after', HELP)
    .action(act(context, learn));
}

async function learn({ out, err }: CliContext, path: string, flags: LearnFlags): Promise<void> {
  const settings = readSettings();
  const file = await readTicks(path, flags, err);
  const bars = barsOfFile(file, `tickmark learn ${path} --series ${flags.series} --account ${flags.account}`);
  const unit = bars === undefined ? 'tick' : 'bar';
  const horizons = (flags.horizons ?? (bars === undefined ? HORIZONS.ticks : HORIZONS.bars)).split(',');
  const plans = plansOf(
    horizons.map((horizon) => ({ horizon, every: 'tick' })),
    bars?.periodMs,
  ).map((plan) => ({ ...plan, everyMs: bars === undefined ? plan.horizonMs / FORECASTS_TO_A_HORIZON : plan.everyMs }));
  const { openLocalForecaster } = await import('../../service/app/openLocalForecaster.ts');
  const open = await openLocalForecaster(settings);
  const progress = progressOf(err, flags.json);
  try {
    const model = open.models.find(open.models.defaultId)!;
    if (!usesMemory(model, bars !== undefined))
      throw new ServiceError('command.invalid', `The version ${model.id} does not use the memory of a series.`);
    await withAccounts(settings, async ({ store, find }) => {
      const key = { accountId: (await find(flags.account)).id, series: flags.series };
      const { memory, revision } = await readStored(store, key, bars?.periodMs ?? 0, flags.replace === true);
      refuseOlder(memory, file.series.timesUs[0], flags.series);
      const ticks = await teachSeries(memory, {
        ...{ series: file.series, bars, plans },
        compute: (request, call) => open.forecaster.forecast(request, call),
        onProgress: (done, total) => progress.show(`learning: ${done} of ${plural(total, unit)}`, true),
      });
      progress.end();
      if (ticks > 0) await write(store, key, memory, revision);
      const learned = learnedOf(memory, horizons, plans.map(({ horizonMs }) => horizonMs)); // prettier-ignore
      const told = ticks === 0 ? null : plural(ticks, unit);
      out(flags.json === true ? jsonLine({ series: flags.series, learned: ticks, ...learned }) : textOf(flags.series, told, learned));
    });
  } finally {
    progress.end();
    await open.close();
  }
}

async function readStored(store: MemoryStore, key: MemoryKey, periodMs: number, isReplaced: boolean) {
  const stored = await store.readMemory(key);
  if (stored === undefined || stored === 'unchanged') return { memory: new SeriesMemory(periodMs), revision: 0 };
  if (isReplaced) return { memory: new SeriesMemory(periodMs), revision: stored.revision };
  const memory = SeriesMemory.load(stored.bytes);
  if (memory.periodMs !== periodMs) throw otherKind('?series', key.series, memory.periodMs, periodMs);
  return { memory, revision: stored.revision };
}

/** A memory learns in the order of time. */
function refuseOlder({ sinceMs }: SeriesMemory, firstUs: number, series: string): void {
  if (!(Math.floor(firstUs / US_PER_MS) < sinceMs)) return;
  const [first, since] = [formatTimestamp(firstUs), formatTimestamp(sinceMs * US_PER_MS)];
  throw new ServiceError(
    'command.invalid',
    `The file begins at ${first}, and ${quoteValue(series)} has been learning since ${since}: an older past cannot be added.`,
    { remedy: 'With --replace, the series forgets what it has learned and begins again with this file.' },
  );
}

async function write(store: MemoryStore, key: MemoryKey, memory: SeriesMemory, revision: number): Promise<void> {
  const written = await store.writeMemory({ ...key, bytes: memory.save() }, revision, systemClock.nowMs());
  if (written === true) return;
  const why = written === 'full' ? 'the account has no room for another series' : 'it has learned from a request meanwhile';
  throw new ServiceError('command.invalid', `The memory of ${quoteValue(key.series)} was not written: ${why}. Run the command again.`);
}

type Learned = {
  readonly since: string | null;
  readonly until: string | null;
  readonly days: number;
  readonly horizons: readonly { readonly horizon: string; readonly outcomes: number; readonly weights: string }[];
};

function learnedOf(memory: SeriesMemory, names: readonly string[], horizonsMs: readonly number[]): Learned {
  const stamp = (ms: number): string | null => (Number.isNaN(ms) ? null : formatTimestamp(ms * US_PER_MS));
  const views = horizonsMs.map((horizonMs) => memory.view(horizonMs));
  return {
    ...{ since: stamp(memory.sinceMs), until: stamp(memory.lastMs), days: views[0]?.profile?.days ?? 0 },
    horizons: views.map(({ own }, at) => ({
      ...{ horizon: names[at], outcomes: own?.outcomes ?? 0 },
      weights:
        own === null
          ? 'The clock of the bars is doubted: nothing is weighed.'
          : ownWeightsText({ outcomes: own.outcomes, weights: Object.fromEntries(OWN_NAMES.map((name, i) => [name, own.means[i]])) }),
    })),
  };
}

/** `told`: what was learned; null: nothing new. */
function textOf(series: string, told: string | null, { since, until, days, horizons }: Learned): string {
  const head =
    told === null
      ? `Nothing new: ${series} knows everything up to ${until}.`
      : `${series} has learned ${told}. It knows ${since} to ${until}, and the time of day from ${plural(days, 'earlier day')}.`;
  const lines = horizons.map(({ horizon, weights }) => `  ${horizon}: ${weights}`);
  return `${[head, ...lines].join('\n')}\n`;
}
