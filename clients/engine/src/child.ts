/**
 * The engine in a child process, for programs in other languages: calls on standard input, answers on standard output, one after the other.
 * Each is the length of a JSON text (4 bytes, little endian), the text, and the columns that it lists: doubles, in the byte order of the machine.
 */
import { readSync, writeSync } from 'node:fs';
import { parseDurationMs } from '../../../src/contract/duration.ts';
import { ENTRY_DELAY_MS } from '../../../src/engine/features/labelOrigin.ts';
import { ERROR_TABLE } from '../../../src/core/errorTable.ts';
import type { Bars, Engine, LearnOptions, ReplayedWindow, ReplayOptions, SeriesMemory, Ticks, VersionFiles, WindowOptions } from './api.ts';
import { EngineError } from './EngineError.ts';
import { openMemory } from './memory.ts';
import { openEngine } from './openEngine.ts';
import { Series, type SeriesBars, type SeriesOptions } from './Series.ts';

type Columns = Readonly<Record<string, Float64Array>>;
type Answer = { readonly text: object; readonly columns?: Columns };
type Call = {
  readonly call: keyof typeof CALLS;
  /** Of an engine or a series that an earlier answer gave. */
  readonly id: number;
  /** With the names of Python: `min_move_bps`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** What `save` gave, in base64; null: a new one. */
  readonly memory?: { readonly saved: string | null; readonly bar_period_ms: number };
  readonly version?: string | Readonly<Record<string, string>>;
  /** Names and lengths of the columns that follow. */
  readonly columns: Readonly<Record<string, number>>;
  /** Series that are no longer used. */
  readonly closed: readonly number[];
};

const [PARENT, WINDOWS_BETWEEN_LOOKS] = [process.ppid, 64];
/** Of a series, for a picture of its forecast. */
const SHOWN_TICKS = 500;
const engines: Engine[] = [];
const series = new Map<number, Series>();
let opened = 0;

/** Fills the bytes; false at the end of the input. */
function read(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length;) {
    const count = readSync(0, bytes, at, Math.min(bytes.length - at, 1 << 20), null);
    if (count === 0) return false;
    at += count;
  }
  return true;
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

function send(text: object, columns: Columns = {}): void {
  const lengths = Object.entries(columns).map(([name, { length }]) => [name, length]);
  const bytes = Buffer.from(JSON.stringify({ ...text, columns: lengths }));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  write(Buffer.concat([head, bytes]));
  for (const { buffer, byteOffset, byteLength } of Object.values(columns)) write(new Uint8Array(buffer, byteOffset, byteLength));
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const optionsOf = ({ options }: Call): never =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value ?? undefined])) as never;

/** Bars are few, and are checked as lists. */
const ticksOf = (columns: Columns): Ticks & Bars =>
  ('Close' in columns ? Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, [...list]])) : columns) as never;

const memoryOf = ({ memory }: Call): SeriesMemory | undefined =>
  memory && openMemory(memory.saved === null ? undefined : Buffer.from(memory.saved, 'base64'), { barPeriodMs: memory.bar_period_ms });
const saved = (memory: SeriesMemory | undefined) =>
  memory && { memory: Buffer.from(memory.save()).toString('base64'), since_ms: memory.sinceMs, last_ms: memory.lastMs };

/** What a version has: texts, and the weights in base64. */
async function open({ version }: Call): Promise<Answer> {
  const engine = await openEngine(version === undefined ? {} : { version: version as string | VersionFiles });
  return { text: { id: engines.push(engine) - 1, version: engine.version, ruleset: engine.ruleset } };
}

async function forecast(call: Call, columns: Columns): Promise<Answer> {
  const memory = memoryOf(call);
  const options: WindowOptions = { ...(optionsOf(call) as WindowOptions), memory };
  return { text: { answer: await engines[call.id].forecast(ticksOf(columns), options), ...saved(memory) } };
}

async function replay(call: Call, columns: Columns): Promise<Answer> {
  const options: ReplayOptions = optionsOf(call);
  const names = ['timestamp', 'price', 'trend_identified', 'probability', 'baseline_probability', 'min_move_bps', 'move_bps', 'outcome'];
  const codes = ['outcome_missing', 'reasons', 'seen_in_training'];
  const bands = (options.range ?? []).flatMap((level) => [`low_${percent(level)}`, `high_${percent(level)}`]);
  const table = Object.fromEntries([...names, ...codes, ...bands].map((name): [string, number[]] => [name, []]));
  const texts: string[] = [''];
  const codeOf = new Map([['', 0]]);
  const code = (text: string): number => {
    if (!codeOf.has(text)) codeOf.set(text, texts.push(text) - 1);
    return codeOf.get(text)!;
  };
  let unused: ReplayedWindow['memory_unused'];
  for await (const window of engines[call.id].replay(ticksOf(columns), options)) {
    if (table['price'].length % WINDOWS_BETWEEN_LOOKS === 0 && process.ppid !== PARENT) process.exit(1);
    const { timeUs, outcome, reasons, seen_in_training: isSeen, range = [], memory_unused: why, ...numbers } = window;
    unused ??= why;
    const isKnown = typeof outcome === 'number';
    const values: Record<string, number | null> = {
      ...{ ...numbers, timestamp: timeUs, outcome: isKnown ? outcome : null, outcome_missing: code(isKnown ? '' : outcome) },
      ...{ reasons: code(reasons.join(' ')), seen_in_training: Number(isSeen) },
      ...Object.fromEntries(range.flatMap(({ level, low, high }) => [[`low_${percent(level)}`, low], [`high_${percent(level)}`, high]])), // prettier-ignore
    };
    for (const [name, column] of Object.entries(table)) column.push(values[name] ?? NaN);
  }
  const found = Object.fromEntries(Object.entries(table).map(([name, column]) => [name, Float64Array.from(column)]));
  const independent = areIndependent(options, found['timestamp'], 'Close' in columns);
  return { text: { texts, independent, memory_unused: unused ?? null, version: engines[call.id].version }, columns: found };
}

/** 0.9 is 90. */
const percent = (level: number): number => Number((100 * level).toPrecision(12));

/** Whether no two outcomes overlap. Of a horizon in bars with another distance between windows it is not known. */
function areIndependent({ horizon, every }: ReplayOptions, timesUs: Float64Array, hasBars: boolean): boolean {
  if (every === undefined) return true;
  const leastMs = (parseDurationMs(horizon) ?? Infinity) + (hasBars ? 0 : ENTRY_DELAY_MS);
  return timesUs.every((us, at) => at === 0 || Math.floor(us / 1000) - Math.floor(timesUs[at - 1] / 1000) >= leastMs);
}

async function learn(call: Call, columns: Columns): Promise<Answer> {
  const memory = memoryOf(call);
  return { text: { ...saved(await engines[call.id].learn(ticksOf(columns), { ...(optionsOf(call) as LearnOptions), memory })) } };
}

function openSeries(call: Call): Answer {
  const bars = optionsOf(call) as Partial<SeriesBars>;
  const made = new Series(engines[call.id], memoryOf(call), bars.period === undefined ? undefined : (bars as SeriesBars));
  series.set(opened, made);
  return { text: { id: opened++ } };
}

function push({ id }: Call, columns: Columns): Answer {
  series.get(id)!.push(ticksOf(columns));
  return { text: { ticks: series.get(id)!.ticks } };
}

async function forecastSeries(call: Call): Promise<Answer> {
  const options: SeriesOptions = optionsOf(call);
  const one = series.get(call.id)!;
  const answer = await one.forecast(options);
  const { timesUs, prices } = one.last(SHOWN_TICKS);
  return { text: { answer }, columns: { Timestamp: timesUs, Price: prices } };
}

const CALLS = {
  ...{ open, forecast, replay, learn, series: openSeries, push, series_forecast: forecastSeries },
  ticks_for: (call: Call): Answer => ({ text: { ticks: engines[call.id].ticksFor(String(call.options['horizon']), memoryOf(call)) } }),
  series_memory: ({ id }: Call): Answer => ({ text: { ...saved(series.get(id)!.memory) } }),
};

/** The problem of the API, with the option names of Python. */
function problemOf({ code, message, fieldErrors }: EngineError): object {
  let detail = message;
  const errors = fieldErrors.map((each) => {
    const name = /^\?(\w+)$/.exec(each.pointer)?.[1];
    if (name === undefined || name === snake(name)) return each;
    const renamed = (text: string): string => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), snake(name));
    detail = renamed(detail);
    return { ...each, pointer: `?${snake(name)}`, detail: renamed(each.detail) };
  });
  const { status, title } = ERROR_TABLE[code];
  return { type: `urn:tickmark:error:${code}`, title, status, detail, code, requestId: '', ...(errors.length > 0 ? { errors } : {}) };
}

// The parent decides what Ctrl+C ends.
process.on('SIGINT', () => {});
send({ node: process.versions.node });
for (const head = Buffer.alloc(4); read(head);) {
  const bytes = Buffer.alloc(head.readUInt32LE());
  if (!read(bytes)) break;
  const call = JSON.parse(bytes.toString()) as Call;
  const columns = Object.fromEntries(Object.entries(call.columns).map(([name, length]) => [name, new Float64Array(length)]));
  if (!Object.values(columns).every((column) => read(new Uint8Array(column.buffer)))) break;
  for (const id of call.closed) series.delete(id);
  try {
    const { text, columns: found } = await CALLS[call.call](call, columns);
    send(text, found);
  } catch (error) {
    send(error instanceof EngineError ? { problem: problemOf(error) } : { fault: String((error as Error).stack ?? error) });
  }
}
