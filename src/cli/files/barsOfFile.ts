import { ServiceError } from '../../core/ServiceError.ts';
import { MIN_ENTRIES, US_PER_MS } from '../../core/units.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickFile } from '../../ticks/import/streamTickFile.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';

/** Bars of a window where no number is named: more of them say nothing more. */
export const BAR_WINDOW = 500;

/** The same for the windows of a file, which are shorter if it has few bars. */
export const barWindow = (rows: number): number => (rows < 2 * BAR_WINDOW ? MIN_ENTRIES - 1 : BAR_WINDOW);

/**
 * The bars of a file that a forecast is made of; undefined for a file of ticks. Throws ServiceError `command.invalid` where nothing says what their
 * timestamps are. `command`: as it was typed, with the file.
 */
export function barsOfFile(
  { path, bars, series, report }: Pick<TickFile, 'path' | 'bars' | 'series' | 'report'>,
  command: string,
): BarWindow | undefined {
  if (bars === undefined || report.bars?.barTime !== null) return bars;
  // It was read as the beginning.
  const stampUs = series.timesUs[0]! - bars.periodMs * US_PER_MS;
  const [stamp, end] = [stampUs, series.timesUs[0]!].map((us) => formatTimestamp(us));
  const looks = report.notes.find(({ code }) => code === 'bars.time_unknown')?.text.match(/They look like .*/)?.[0];
  throw new ServiceError(
    'command.invalid',
    `${path} holds bars of ${bars.periodMs / 1000} s and does not say what their timestamps are. A wrong answer would move each forecast by one bar.${looks === undefined ? '' : ` ${looks}`}`,
    {
      remedy: `Say whether the first bar, ${stamp}, begins or ends then:
    ${command} --bar-time open     begins: it ends at ${end}; so ccxt, Freqtrade, Yahoo and most exchanges
    ${command} --bar-time close    ends`,
    },
  );
}
