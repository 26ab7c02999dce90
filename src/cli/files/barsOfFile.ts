import { ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickFile } from '../../ticks/import/streamTickFile.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';

/**
 * The bars of a file that a forecast is made of; undefined for a file of ticks. Throws ServiceError `command.invalid` where nothing says what their
 * timestamps are. `command`: as it was typed, with the file.
 */
export function barsOfFile(
  { path, bars, series, report }: Pick<TickFile, 'path' | 'bars' | 'series' | 'report'>,
  command: string,
): BarWindow | undefined {
  if (bars === undefined || report.bars?.barTime !== null) return bars;
  const looks = report.notes.find(({ code }) => code === 'bars.time_unknown')?.text.match(/They look like .*/)?.[0];
  throw unknownBarTime({ path, command, periodMs: bars.periodMs, endUs: series.timesUs[0], looks });
}

type Unknown = {
  readonly path: string;
  readonly command: string;
  readonly periodMs: number;
  /** End of the first bar, whose timestamp was read as its beginning. */
  readonly endUs: number;
  readonly looks?: string | undefined;
};

/** Nothing says what the timestamps of the bars of a file are. */
export function unknownBarTime({ path, command, periodMs, endUs, looks }: Unknown): ServiceError {
  const stamp = formatTimestamp(endUs - periodMs * US_PER_MS);
  return new ServiceError(
    'command.invalid',
    `${path} holds bars of ${periodMs / 1000} s and does not say what their timestamps are. A wrong answer would move each forecast by one bar.${looks === undefined ? '' : ` ${looks}`}`,
    {
      remedy: `Say whether the first bar, ${stamp}, begins or ends then:
    ${command} --bar-time open     begins: it ends at ${formatTimestamp(endUs)}; so ccxt, Freqtrade, Yahoo and most exchanges
    ${command} --bar-time close    ends`,
    },
  );
}
