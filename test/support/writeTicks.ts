import { writeFileSync } from 'node:fs';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/** Writes ticks as a CSV file of trades, with timestamps in microseconds. */
export function writeTicks(file: string, { timesUs, prices }: TickSeries): void {
  const rows = Array.from(prices, (price, i) => `${formatTimestamp(timesUs[i] ?? 0, 6)},${price}\n`);
  writeFileSync(file, 'timestamp,price\n' + rows.join(''));
}
