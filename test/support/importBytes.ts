import type { ImportOptions, ImportReport } from '../../src/ticks/import/ImportReport.ts';
import { importTicks } from '../../src/ticks/import/importTicks.ts';

export type Imported = {
  readonly report: ImportReport;
  readonly timesUs: number[];
  readonly prices: number[];
  readonly bids: number[];
  readonly asks: number[];
};

/** Imports bytes given in chunks of `chunkBytes`. */
export async function importBytes(
  content: Uint8Array | string,
  options: Partial<ImportOptions> = {},
  chunkBytes = 64 * 1024,
): Promise<Imported> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.slice(from, from + chunkBytes);
  }
  const got = { timesUs: [] as number[], prices: [] as number[], bids: [] as number[], asks: [] as number[] };
  const report = await importTicks(
    chunks(),
    {
      add: (timesUs, prices) => void (got.timesUs.push(...timesUs), got.prices.push(...prices)),
      addQuotes: (_timesUs, bids, asks) => void (got.bids.push(...bids), got.asks.push(...asks)),
    },
    { name: 'test-file', ...options },
  );
  return { report, ...got };
}
