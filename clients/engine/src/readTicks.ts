import { type FieldProblem, fieldProblem, invalidRequest, quoteValue, ServiceError } from '../../../src/core/ServiceError.ts';
import { parseNextTicks } from '../../../src/ticks/parseTickRequest.ts';
import { spreadsBps as spreadsOf } from '../../../src/ticks/tickColumns.ts';
import type { TickSeries } from '../../../src/ticks/TickSeries.ts';
import { priceOf, timeUsOf, type FutureTime, type Tick } from '../../typescript/src/tickBody.ts';
import type { Ticks } from './api.ts';
import { EngineError } from './EngineError.ts';

/** `spreadsBps`: (ask - bid) / mid of each tick; undefined without bid and ask. */
export type Observed = { readonly series: TickSeries; readonly spreadsBps: Float64Array | undefined };

export type TickRules = { readonly fewest?: number; readonly most?: number; readonly afterUs?: number | undefined };

/** Ticks of any form, checked by the rules of the API: order, lengths, prices, and how many there may be. Throws ServiceError `request.invalid`. */
export function readTicks(ticks: Ticks, { fewest = 1, most = Infinity, afterUs }: TickRules = {}): Observed {
  const { Timestamp, spreadsBps, ...lists } = listsOf(ticks);
  const count = Timestamp.length;
  checkEntries(count, fewest, most);
  const quotes = 'Bid' in lists ? lists : undefined;
  const series = parseNextTicks(Timestamp, quotes ?? (lists as { Price: number[] }).Price, afterUs);
  return { series, spreadsBps: quotes === undefined ? spreadsBps : spreadsOf(quotes, count) };
}

/** Throws ServiceError `request.invalid` for a number of entries that is not allowed. */
export function checkEntries(count: number, fewest: number, most = Infinity): void {
  if (count >= fewest && count <= most) return;
  const bounds = most === Infinity ? `${fewest} or more` : `${fewest} to ${most}`;
  const code = count < fewest ? 'ticks.too_few' : 'ticks.too_many';
  throw invalidRequest([fieldProblem('/Timestamp', code, `Timestamp has ${count} entries; ${bounds} are allowed.`)]);
}

type Lists = { readonly Timestamp: number[]; readonly spreadsBps?: Float64Array } & (
  | { readonly Price: number[] }
  | { readonly Bid: number[]; readonly Ask: number[] }
);

function listsOf(ticks: Ticks): Lists {
  if (typeof ticks !== 'object' || ticks === null) throw invalidRequest([wrongType('', 'ticks', 'a list of ticks', ticks)]);
  if (Array.isArray(ticks)) return listsOfTicks(ticks as readonly Tick[]);
  // The arrays of TickColumns are read like lists.
  const { timesUs, prices, Timestamp = timesUs, Price = prices, Bid, Ask, spreadsBps } = ticks as unknown as Record<string, unknown>;
  const lists = Bid === undefined && Ask === undefined ? { Timestamp, Price } : { Timestamp, Bid, Ask };
  const wrong = Object.entries(lists).filter(([, list]) => !Array.isArray(list) && !(list instanceof Float64Array));
  if (wrong.length > 0) throw invalidRequest(wrong.map(([name, list]) => wrongType(`/${name}`, name, 'a list', list)));
  return { ...lists, ...(spreadsBps instanceof Float64Array ? { spreadsBps } : {}) } as Lists;
}

/** The time of a tick or a bar. Throws ServiceError `request.invalid` for a time that is none. */
export function stampOf(time: FutureTime, what: 'tick' | 'bar', at: number): number {
  try {
    return timeUsOf(time);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalidRequest([fieldProblem(`/Timestamp/${at}`, 'timestamp.out_of_range', `${what} ${at}: ${error.message}.`)]);
  }
}

function listsOfTicks(ticks: readonly Tick[]): Lists {
  const Timestamp = ticks.map((tick: Tick | null, index) => {
    if (typeof tick !== 'object' || tick === null || !('price' in tick || ('bid' in tick && 'ask' in tick))) {
      const form = 'an object with timeMs or timeUs, and price or bid and ask';
      throw invalidRequest([wrongType(`/${index}`, `tick ${index}`, form, tick)]);
    }
    return stampOf(tick, 'tick', index);
  });
  if (ticks.length === 0 || !ticks.every((tick) => 'bid' in tick)) return { Timestamp, Price: ticks.map(priceOf) };
  return { Timestamp, Bid: ticks.map(({ bid }) => bid), Ask: ticks.map(({ ask }) => ask) };
}

const wrongType = (pointer: string, name: string, form: string, value: unknown): FieldProblem =>
  fieldProblem(pointer, 'field.wrong_type', `${name} is ${quoteValue(value)}; it must be ${form}.`);

/** What an engine throws, for a ServiceError of the parts that it is made of; else the error itself. */
export function engineError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { message, code, errors, remedy } = error;
  return new EngineError(message, { code: code as EngineError['code'], fieldErrors: errors as EngineError['fieldErrors'], remedy });
}
