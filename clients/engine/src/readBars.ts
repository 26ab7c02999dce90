import { fieldProblem, invalidRequest, quoteValue } from '../../../src/core/ServiceError.ts';
import type { BarWindow } from '../../../src/ticks/BarWindow.ts';
import type { BarLists } from '../../../src/ticks/parseBarRequest.ts';
import type { TickSeries } from '../../../src/ticks/TickSeries.ts';
import { isOhlcv, type Bar } from '../../typescript/src/barBody.ts';
import type { Bars, Ticks } from './api.ts';
import { stampOf } from './readTicks.ts';

/** Bars of a `Series`, which has checked them: at their ends, with the period and what their timestamps were read as. */
export class PlacedBars {
  readonly series: TickSeries;
  readonly bars: BarWindow;

  constructor(series: TickSeries, bars: BarWindow) {
    this.series = series;
    this.bars = bars;
  }
}

/** Whether what was given is bars, by its first one. */
export function isBars(given: Ticks | Bars): given is Bars {
  if (typeof given !== 'object' || given === null) return false;
  const [first] = Array.isArray(given) ? (given as readonly unknown[]) : [given];
  return typeof first === 'object' && first !== null && (Array.isArray(first) || 'close' in first || 'Close' in first);
}

/** The lists of the API. Throws ServiceError `request.invalid` for a time that is none. */
export function barListsOf(bars: Bars): BarLists {
  if (!Array.isArray(bars)) return bars as BarLists;
  const given = (bars as readonly Bar[]).map((bar) => {
    if (!isOhlcv(bar)) return bar;
    const [timeMs, open, high, low, close, volume] = bar;
    return { timeMs, open, high, low, close, volume };
  });
  const Timestamp = given.map((bar, at) => stampOf(bar, 'bar', at));
  const of = (name: 'open' | 'high' | 'low' | 'close'): number[] => given.map((bar) => bar[name] as number);
  const volumes = given.map((bar) => ('volume' in bar ? bar.volume : undefined));
  const Close = of('close');
  const lists = volumes.includes(undefined) ? { Timestamp, Close } : { Timestamp, Close, Volume: volumes };
  return given[0]?.open === undefined ? lists : { ...lists, Open: of('open'), High: of('high'), Low: of('low') };
}

/** Throws ServiceError `request.invalid` for another value. */
export function checkedBarTime<T>(barTime: T): T {
  if (barTime === undefined || barTime === 'open' || barTime === 'close') return barTime;
  const detail = `barTime is ${quoteValue(barTime)}; it must be open or close.`;
  throw invalidRequest([fieldProblem('?barTime', 'query.malformed', detail)]);
}
