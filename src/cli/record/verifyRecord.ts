import { createPublicKey, verify } from 'node:crypto';
import { groupBy } from '../../core/groupBy.ts';
import { blockLine, headAfter, type Place, SEALED_FORMAT, signedText, startLine } from '../../service/live/sealedChain.ts';
import type { SealableForecast } from '../../engine/live/sealedLines.ts';

export type SealedForecast = SealableForecast & {
  readonly series: string;
  /** Clock of the service when it was sealed. */
  readonly sealedMs: number;
  /** As the record says; null: it says nothing. */
  moved: boolean | null;
};

type Seal = { readonly n: number; readonly head: string; readonly atMs: number; readonly key: string; readonly signature: string };

export type VerifiedRecord = {
  /** Lines of the chain before the record. */
  readonly first: number;
  /** The last one is that of the end. */
  readonly seals: readonly Seal[];
  readonly forecasts: readonly SealedForecast[];
  /** Their forecasts were before the record. */
  readonly orphans: number;
  /** Published seals that were compared, and those before the record. */
  readonly published: { readonly held: number; readonly before: number };
};

/** What is wrong with a record, in words. */
export class RecordFault extends Error {}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string';

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

/** Undefined: the line is none. */
function readSeal(line: string): Seal | undefined {
  const value = parse(line);
  if (!Array.isArray(value) || value[0] !== 'seal' || JSON.stringify(value) !== line) return undefined;
  const [, n, head, atMs, key, signature, ...rest] = value as unknown[];
  const isSeal = isCount(n) && isText(head) && isCount(atMs) && isText(key) && isText(signature) && rest.length === 0;
  return isSeal ? { n, head, atMs, key, signature } : undefined;
}

const isCanonical = (text: string, bytes: number): boolean => {
  const decoded = Buffer.from(text, 'base64url');
  return decoded.length === bytes && decoded.toString('base64url') === text;
};

function isSigned({ n, head, atMs, key, signature }: Seal): boolean {
  if (!isCanonical(key, 32) || !isCanonical(signature, 64)) return false;
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
  return verify(null, Buffer.from(signedText({ n, head }, atMs)), publicKey, Buffer.from(signature, 'base64url'));
}

type Key = Pick<SealedForecast, 'series' | 'originMs' | 'endMs' | 'minMoveBps'>;
type Entry = { readonly forecast: Omit<SealedForecast, 'sealedMs' | 'moved'> } | { readonly outcome: Key; readonly moved: boolean };

function readEntry(line: string): Entry | undefined {
  const value = parse(line);
  if (!Array.isArray(value)) return undefined;
  const [kind, series, originMs, horizonMs, minMoveBps, ...rest] = value as unknown[];
  const isBit = (bit: unknown): boolean => bit === 0 || bit === 1;
  const isNumber = (number: unknown): number is number => typeof number === 'number';
  if (!isText(series) || !isCount(originMs) || !isCount(horizonMs) || horizonMs === 0 || !isNumber(minMoveBps)) return undefined;
  const of = { series, originMs, endMs: originMs + horizonMs, minMoveBps };
  if (kind === 'o') {
    const [moved] = rest;
    return rest.length === 1 && isBit(moved) ? { outcome: of, moved: moved === 1 } : undefined;
  }
  const [made, baseline, marked, own, model, pauseS, barPeriodMs] = rest;
  const isForecast =
    kind === 'f' && rest.length === 7 && isCount(made) && isCount(baseline) && isBit(marked) && isBit(own) && isText(model);
  if (!isForecast || !isNumber(pauseS) || !(pauseS > 0) || !isCount(barPeriodMs)) return undefined;
  return {
    forecast: {
      ...{ ...of, probability: made / 1e6, baselineProbability: baseline / 1e6, model, pauseS, barPeriodMs },
      ...{ isMarked: marked === 1, ownThreshold: own === 1 },
    },
  };
}

const keyOf = (of: Key): string => JSON.stringify([of.series, of.originMs, of.endMs, of.minMoveBps]);

type Options = {
  /** Public key that every seal must have. */
  readonly key?: string | undefined;
  /** Lines with seals that were published, such as those of earlier downloads; other lines are skipped. */
  readonly published?: readonly string[] | undefined;
};

/** Checks a downloaded record: every hash, every seal, and the published seals. Throws RecordFault for the first thing that is wrong. */
export function verifyRecord(text: string, { key, published }: Options = {}): VerifiedRecord {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new RecordFault('it ends in the middle of a line');
  const start = parse(lines[0] ?? '') as ({ format?: unknown } & Partial<Place>) | null | undefined;
  const { n: first, head: firstHead } = start ?? {};
  if (start?.format !== SEALED_FORMAT || !isCount(first) || !isText(firstHead))
    throw new RecordFault(`line 1: it is not the beginning of a sealed record (${SEALED_FORMAT})`);
  let place: Place = { n: first, head: firstHead };
  if (startLine(place) !== lines[0]) throw new RecordFault('line 1: it was not written by tickmark');
  /** Heads by their number of lines. */
  const heads = new Map<number, string>([[first, firstHead]]);
  const seals: Seal[] = [];
  const forecasts: SealedForecast[] = [];
  const outcomes: Extract<Entry, { moved: boolean }>[] = [];
  let [block, entries, lastMs]: [string[], Entry[], number] = [[], [], 0];
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue;
    const fault = (why: string): RecordFault => new RecordFault(`line ${i + 1}: ${why}`);
    if (line.startsWith('{')) {
      const { n, at, head } = (parse(line) ?? {}) as { n?: unknown; at?: unknown; head?: unknown };
      if (!isCount(n) || !isCount(at) || !isText(head) || blockLine({ n, atMs: at, head }) !== line)
        throw fault('it is not the end of a block');
      if (block.length === 0 || n !== place.n + block.length || at < lastMs) throw fault('lines were added or left out before it');
      if (head !== headAfter(place.head, at, `${block.join('\n')}\n`))
        throw fault('a line of its block, or a block before it, was changed');
      place = { n, head };
      heads.set(n, head);
      for (const entry of entries) {
        if ('forecast' in entry) forecasts.push({ ...entry.forecast, sealedMs: at, moved: null });
        else outcomes.push(entry);
      }
      [block, entries, lastMs] = [[], [], at];
      continue;
    }
    const seal = readSeal(line);
    if (seal !== undefined) {
      const isHere = block.length === 0 && seal.n === place.n && seal.head === place.head && seal.atMs >= lastMs;
      if (!isHere || !isSigned(seal)) throw fault('the seal is not of this place in this record');
      if (key !== undefined && seal.key !== key) throw fault(`the seal is of another key: ${seal.key}`);
      seals.push(seal);
    } else {
      const entry = readEntry(line);
      if (entry === undefined) throw fault('it is neither a forecast nor an outcome, seal or end of a block');
      entries.push(entry);
    }
    block.push(line);
  }
  if (block.length !== 1 || entries.length > 0 || readSeal(lines.at(-1)!) === undefined)
    throw new RecordFault('it does not end with a seal: its end was left out');
  const orphans = joinOutcomes(forecasts, outcomes);
  return { first, seals, forecasts, orphans, published: comparePublished(published ?? [], place, heads, first) };
}

/** Gives each forecast its outcome; returns how many outcomes have none. */
function joinOutcomes(forecasts: readonly SealedForecast[], outcomes: readonly Extract<Entry, { moved: boolean }>[]): number {
  const open = groupBy(forecasts, keyOf);
  let orphans = 0;
  for (const { outcome, moved } of outcomes) {
    const forecast = open.get(keyOf(outcome))?.shift();
    if (forecast === undefined) orphans++;
    else forecast.moved = moved;
  }
  return orphans;
}

function comparePublished(
  lines: readonly string[],
  { n: end }: Place,
  heads: ReadonlyMap<number, string>,
  first: number,
): VerifiedRecord['published'] {
  const counts = { held: 0, before: 0 };
  for (const line of lines) {
    const seal = readSeal(line.trim());
    if (seal === undefined || !isSigned(seal)) continue;
    const when = new Date(seal.atMs).toISOString();
    if (seal.n > end)
      throw new RecordFault(`it ends after ${end} lines; the seal published ${when} is of ${seal.n}: later ones were left out`);
    if (seal.n < first) counts.before++;
    else if (heads.get(seal.n) !== seal.head)
      throw new RecordFault(`the seal published ${when}, of ${seal.n} lines, is of another record: lines were changed since`);
    else counts.held++;
  }
  if (lines.length > 0 && counts.held + counts.before === 0) throw new RecordFault('the published files have no seal');
  return counts;
}
