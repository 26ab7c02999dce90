import { BAR_TIMES, type BarTime } from '../../core/barTime.ts';
import { Type } from '../../core/schema.ts';
import { fieldProblem, invalidRequest, ServiceError } from '../../core/ServiceError.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import { LONGEST_MS, parseBars, parseDurationMs } from '../../contract/duration.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickFile } from '../../ticks/import/streamTickFile.ts';

export const BAR_TIME_ARGUMENT = Type.Optional(
  Type.Unsafe<BarTime>({
    enum: BAR_TIMES,
    description:
      'With bars, required unless their file says it: whether timestamps are the beginnings (most exchanges) or the ends of bars. A wrong one lets the forecast see one bar of the future.',
  }),
);

/** The bars of a file; undefined for ticks. Throws ServiceError `request.invalid` if nothing says what their timestamps are, and for ticks with bar_time. */
export function barsOfTool({ bars, report }: Pick<TickFile, 'bars' | 'report'>, barTime: BarTime | undefined): BarWindow | undefined {
  if (bars !== undefined && report.bars?.barTime === null) {
    const detail = `bar_time is required; the file has bars of ${bars.periodMs / MS_PER_SECOND} s and does not say what their timestamps are.`;
    throw invalidRequest([fieldProblem('/bar_time', 'bar_time.required', detail)]);
  }
  if (bars === undefined && barTime !== undefined)
    throw invalidRequest([fieldProblem('/bar_time', 'query.without_bars', `bar_time is ${barTime}, but the file has ticks.`)]);
  return bars;
}

/** Microseconds of 10s, 5m, or of bars 3bars. Throws ServiceError `request.invalid`, `command.invalid`. */
export function horizonUs(text: string, pointer: string, bars: BarWindow | undefined): number {
  const count = parseBars(text);
  if (count !== undefined && bars === undefined)
    throw new ServiceError('command.invalid', `The horizon ${text} counts bars, but the prices are ticks.`, {
      remedy: 'Give a time: 60s, 5m.',
    });
  const ms = count === undefined ? parseDurationMs(text) : count * bars!.periodMs;
  if (ms !== undefined && ms <= LONGEST_MS) return ms * US_PER_MS;
  const rule = 'A horizon is a whole number with its unit, at most one day: 10s, 5m, of bars also 3bars.';
  throw invalidRequest([fieldProblem(pointer, 'field.out_of_range', rule)]);
}
