import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { importTicks } from '../src/ticks/import/importTicks.ts';
import { formatTimestamp } from '../src/ticks/timestamps.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { Bench, BenchRow } from './Bench.ts';

const TICKS = 1_000_000;
const CHUNK_BYTES = 256 * 1024;
const ROUNDS = 5;
const NOWHERE = { add: (): void => {} };

type Way = { readonly name: string; run(chunks: readonly Buffer[]): Promise<void> };

const importer: Way = {
  name: 'importTicks',
  run: async (chunks) => void (await importTicks(given(chunks), NOWHERE, { name: 'bench.csv' })),
};
/** Rows of strings only: no number and no timestamp is parsed. */
const csvParse: Way = {
  name: 'csv-parse, rows of text only',
  run: async (chunks) => {
    let fields = 0;
    for await (const row of Readable.from(chunks).pipe(parse())) fields += (row as string[]).length;
    if (fields === 0) throw new Error('csv-parse read nothing');
  },
};

async function* given(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function chunked(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) chunks.push(bytes.subarray(from, from + CHUNK_BYTES));
  return chunks;
}

/** Median of interleaved rounds; millions of ticks per second of processor time. */
async function rates(ways: readonly Way[], chunks: readonly Buffer[]): Promise<number[]> {
  const times: number[][] = ways.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, way] of ways.entries()) {
      // Processor time including the threads of the garbage collector; other load on the machine does not count.
      const start = process.cpuUsage();
      await way.run(chunks);
      const { user, system } = process.cpuUsage(start);
      times[i].push((user + system) / 1000);
    }
  return times.map((all) => TICKS / 1000 / all.sort((a, b) => a - b)[(ROUNDS - 1) / 2]);
}

function text(header: string, row: (stamp: string, us: number, price: number) => string): string {
  const { timesUs, prices } = syntheticTicks({ seed: 1, count: TICKS });
  const rows = Array.from(timesUs, (us, i) => row(formatTimestamp(us), us, prices[i]));
  return `${header}${rows.join('\n')}\n`;
}

export const bench: Bench = {
  name: 'import',
  about: 'A million ticks from bytes in memory to typed arrays, including checks and findings.',
  async run() {
    const quotes = chunked(text('timestamp,bid,ask\n', (stamp, _us, price) => `${stamp},${price.toFixed(2)},${(price + 0.01).toFixed(2)}`));
    const aggTrades = chunked(
      text('', (_stamp, us, price) => `${3_000_000_000 + (us % 1e9)},${price.toFixed(2)},0.01,1,2,${us / 1000},true,true`),
    );
    const [ours = NaN, peer = NaN] = await rates([importer, csvParse], quotes);
    const [trades = NaN, tradesPeer = NaN] = await rates([importer, csvParse], aggTrades);
    const row = (what: string, value: number, peerName: string, peerValue: number, target?: string): BenchRow => ({
      what,
      value,
      unit: 'million ticks per CPU second',
      peer: peerName,
      peerValue,
      ratio: value / peerValue,
      target,
    });
    return [
      row('timestamp,bid,ask', ours, csvParse.name, peer, '>= 1'),
      row('Binance aggTrades, no header', trades, csvParse.name, tradesPeer, '>= 1'),
    ];
  },
};
