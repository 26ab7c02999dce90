import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';

/** Rows `time,price` of generated ticks, the same on every run; 4 ticks a second, times the density. */
export function tickRows(count: number, seed = 7, density = 1): string {
  const { timesUs, prices } = syntheticTicks({ seed, count });
  const first = timesUs[0];
  return Array.from(timesUs, (us, i) => `${formatTimestamp(Math.round(first + (us - first) / density))},${prices[i]}`).join('\n') + '\n';
}

/** The same as `time,bid,ask`, 2 bps apart. */
export const quotesOf = (rows: string): { name: string; mimeType: string; buffer: Buffer } => ({
  ...csvOf(''),
  buffer: Buffer.from(
    `time,bid,ask\n${rows.replaceAll(/,([\d.]+)$/gm, (_, price: string) => `,${Number(price) * 0.9999},${Number(price) * 1.0001}`)}`,
  ),
});

export const csvOf = (rows: string): { name: string; mimeType: string; buffer: Buffer } => ({
  name: 'ticks.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`time,price\n${rows}`),
});
