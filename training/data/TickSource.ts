import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { fileChunks } from '../../src/ticks/import/bytes/fileChunks.ts';
import { leftOutNote, type TickFileOptions, streamTickFile } from '../../src/ticks/import/streamTickFile.ts';
import type { DayFingerprint } from './dayFingerprints.ts';
import { BLOCK_TICKS } from '../../src/ticks/TickSeries.ts';
import type { Bars } from './BarCloses.ts';
import { findCorrelated, groupSources, resolveGroups, instrumentName } from './groupSources.ts';
import { openStore, planSegments, readSegments, type Segment, SegmentMemory } from './readSegments.ts';
import { TickCache } from './TickCache.ts';
import { type TickStoreReader, TickStoreWriter } from './TickStore.ts';
import { SummarySink, type TickStats } from './TickSummary.ts';

/** The ticks of one instrument. Only a summary and, during an iteration, one segment are in memory. */
export type TickSource = {
  /** File name without folder and extensions. */
  readonly name: string;
  /** Sources of one group move together: they are never on opposite sides of a split. */
  readonly group: string;
  readonly file: { readonly name: string; readonly sha256: string; readonly rows: number };
  readonly firstUs: number;
  readonly lastUs: number;
  readonly days: readonly DayFingerprint[];
  /** Prices at the end of each bar that contains a tick, for correlation. */
  readonly bars: Bars;
  readonly stats: TickStats;
  /** Reads the ticks again, segment by segment, in time order. Throws ServiceError file.unreadable. */
  segments(): Iterable<Segment>;
};

export type OpenSourcesOptions = {
  /** Group name to its instruments, given as names or as files. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Ticks are cached in its folder `cache/ticks` in binary form: 16 bytes per tick. */
  readonly workDir: string;
  /** Most origins of a segment. Default 4,000,000 (64 MB). */
  readonly maxSegmentTicks?: number;
  /** Ticks before the first origin of a segment. Default 3000. */
  readonly leadTicks?: number;
  /** Microseconds of ticks after the last origin, plus one tick: the longest horizon and 2 s. */
  readonly lookAheadS: number;
  /** Size limit of the cache; the least recently used ticks are removed first. Default 20e9. */
  readonly maxCacheBytes?: number;
  readonly onRead?: (name: string, rows: number) => void;
  /** Reading options for files that do not state them: time zone, order of day and month. They are part of the cache key. */
  readonly reading?: TickFileOptions;
};

const MAX_SEGMENT_TICKS = 4_000_000;
const LEAD_TICKS = 3000;
const MAX_CACHE_BYTES = 20e9;

/**
 * Reads every tick file once, in bounded memory, and puts series that move together into one group; notes name the detected pairs and the files of which rows were left out. A file
 * with cached ticks is only hashed.
 *
 * @throws ServiceError file.unreadable, file.malformed (with file and line), file.unwritable for the cache, training.too_little_data for a
 *   file of one tick, command.invalid for a file of bars, a file or instrument that is named twice, for a group of unknown instruments and for an unknown
 *   time zone
 */
export async function openTickSources(
  files: readonly string[],
  options: OpenSourcesOptions,
): Promise<{ sources: TickSource[]; notes: string[] }> {
  refuseTwins(files);
  const groups = resolveGroups(options.groups, files.map(instrumentName));
  const cache = new TickCache(path.join(options.workDir, 'cache', 'ticks'));
  const memory = new SegmentMemory();
  const leftOut: string[] = [];
  const opened: TickSource[] = [];
  for (const file of files) {
    const source = await openTickSource(file, cache, memory, options, leftOut);
    for (const [i, other] of opened.entries()) refuseCopy([files[i], other], [file, source]);
    opened.push(source);
    options.onRead?.(source.name, source.file.rows);
  }
  cache.prune(options.maxCacheBytes ?? MAX_CACHE_BYTES, new Set(opened.map((source) => cacheKey(source.file.sha256, options.reading))));
  const { groupOf, notes } = groupSources(
    opened.map(({ name }) => name),
    groups,
    findCorrelated(opened),
  );
  return {
    sources: opened.map((source) => ({ ...source, group: groupOf.get(source.name) ?? source.name })),
    notes: [...leftOut, ...notes],
  };
}

/** Throws ServiceError `training.too_little_data` for a constant price: there is nothing to learn. */
export function refuseConstant(sources: readonly TickSource[]): void {
  const constant = sources.filter(({ stats }) => stats.constant).map(({ file }) => file.name);
  if (constant.length > 0)
    throw new ServiceError(
      'training.too_little_data',
      `The price never changes in ${constant.join(', ')}. Leave ${constant.length === 1 ? 'it' : 'them'} out.`,
    );
}

function refuseTwins(files: readonly string[]): void {
  const byName = new Map<string, string>();
  for (const file of files) {
    const name = instrumentName(file);
    const other = byName.get(name);
    if (other !== undefined) {
      const isSame = path.resolve(other) === path.resolve(file);
      const what = isSame ? `${file} is named twice` : `${other} and ${file} are both instrument ${name}: rename one, or merge them`;
      throw new ServiceError('command.invalid', `${what}.`);
    }
    byName.set(name, file);
  }
}

/** Days with fewer ticks may be equal by chance. */
const LEAST_COPIED = 100;

/** Refuses the same ticks in another format or compression, and days of another file, under their own dates or others: they would count twice. */
function refuseCopy(
  [
    file,
    {
      file: { sha256 },
      days,
    },
  ]: [string, TickSource],
  [copy, other]: [string, TickSource],
): void {
  if (sha256 === other.file.sha256 || (days.length === other.days.length && days.every((day, i) => day.sha256 === other.days[i].sha256)))
    throw new ServiceError('command.invalid', `${file} and ${copy} contain the same ticks. Name only one of them.`);
  const known = new Map(days.map((day) => [day.undatedSha256, day]));
  const copied = other.days.filter(({ undatedSha256: hash, rows }) => hash !== null && rows >= LEAST_COPIED && known.has(hash));
  const [first] = copied;
  if (first === undefined) return;
  const from = known.get(first.undatedSha256)!;
  const which = copied.length === 1 ? '1 day' : `${copied.length} days`;
  const dates = from.day === first.day ? `, the first ${first.day}` : `: ${from.day} of the first file is ${first.day} of the second`;
  throw new ServiceError(
    'command.invalid',
    `${file} and ${copy} contain the same ticks on ${which}${dates}. They would count twice: name only one of the files, or cut the days from one.`,
  );
}

async function openTickSource(
  file: string,
  cache: TickCache,
  memory: SegmentMemory,
  options: OpenSourcesOptions,
  notes: string[],
): Promise<TickSource> {
  const { sha256, ticks } = await openTicks(file, cache, options.reading);
  const found = new SummarySink(file);
  try {
    const note = leftOutNote(file, ticks.leftOut);
    if (note !== undefined) notes.push(note);
    const [timesUs, prices] = [new Float64Array(BLOCK_TICKS), new Float64Array(BLOCK_TICKS)];
    for (let from = 0; from < ticks.rows; from += BLOCK_TICKS) {
      const block = [timesUs, prices].map((column) => column.subarray(0, ticks.rows - from)) as [Float64Array, Float64Array];
      ticks.read(from, ...block);
      found.add(...block);
    }
  } finally {
    ticks.close();
  }
  const { rows, ...summary } = found.end();
  if (rows < 2) throw new ServiceError('training.too_little_data', `${file} holds one tick; training needs more than one price.`);
  const name = instrumentName(file);
  const { maxSegmentTicks = MAX_SEGMENT_TICKS, leadTicks = LEAD_TICKS, lookAheadS } = options;
  const ticksFile = cache.fileOf(cacheKey(sha256, options.reading));
  const spans = planSegments(ticksFile, { maxSegmentTicks, leadTicks, lookAheadS });
  for (const { first, end } of spans) memory.reserve(end - first);
  return {
    name,
    group: name,
    file: { name: path.basename(file), sha256, rows },
    ...summary,
    segments: () => readSegments(ticksFile, spans, memory),
  };
}

/** The same bytes hold other ticks where they are read by another zone, order of day and month, or columns. */
function cacheKey(sha256: string, { zone, dateOrder, columns, symbol, event }: TickFileOptions = {}): string {
  const rows = symbol === undefined && event === undefined ? [] : [symbol ?? null, event ?? null];
  if (zone === undefined && dateOrder === undefined && columns === undefined && rows.length === 0) return sha256;
  return createHash('sha256')
    .update(JSON.stringify([sha256, zone ?? null, dateOrder ?? null, ...(columns === undefined ? [] : [columns]), ...rows]))
    .digest('hex');
}

/** The closes of bars are no ticks: a forecast from bars comes from heads of its own, which are trained on bars made from ticks. */
function refuseBars(file: string, periodUs: number): never {
  const what = `${file} holds bars of ${periodUs / US_PER_SECOND} s, and versions are trained and evaluated on ticks`;
  throw new ServiceError('command.invalid', `${what}. To see what the shipped version makes of these bars, run tickmark replay ${file}.`);
}

/** The ticks of a file from the cache, which it is read into if they are not there. */
async function openTicks(
  file: string,
  cache: TickCache,
  reading: TickFileOptions | undefined,
): Promise<{ readonly sha256: string; readonly ticks: TickStoreReader }> {
  // A pipe can be read only once.
  if ((await stat(file).catch(() => undefined))?.isFile() === true) {
    const stored = await fileChunks(file);
    for await (const chunk of stored.chunks) void chunk;
    const sha256 = stored.sha256();
    const ticks = cache.open(cacheKey(sha256, reading));
    if (ticks !== undefined) return { sha256, ticks };
  }
  const writer = new TickStoreWriter(cache.folder);
  try {
    const { sha256, report } = await streamTickFile(file, writer, reading);
    if (report.bars !== undefined) refuseBars(file, report.bars.periodUs);
    const key = cacheKey(sha256, reading);
    writer.commit(cache.fileOf(key), report.rows - report.ticks);
    return { sha256, ticks: openStore(cache.fileOf(key)) };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}
