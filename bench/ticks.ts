import { formatTimestamp, parseTimestampUs } from '../src/ticks/timestamps.ts';
import { parseTickRequest } from '../src/ticks/parseTickRequest.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const HORIZON_US = 60_000_000;

function body(ticks: number): { timestamps: string[]; prices: number[] } {
  const { timesUs, prices } = syntheticTicks({ seed: 1, count: ticks });
  const stamps = [...timesUs, timesUs[ticks - 1] + HORIZON_US];
  // Through JSON, as in a request, so that the parser creates the strings.
  return JSON.parse(JSON.stringify({ timestamps: stamps.map((us) => formatTimestamp(us)), prices: [...prices, 0] })) as {
    timestamps: string[];
    prices: number[];
  };
}

async function stamps(ticks: number, target: string): Promise<BenchRow> {
  const { timestamps } = body(ticks);
  const sum = (parse: (text: string) => number): number => {
    let total = 0;
    for (const text of timestamps) total += parse(text);
    return total;
  };
  const [value = NaN, peerValue = NaN] = await measure([() => sum(parseTimestampUs), () => sum((text) => Date.parse(`${text}Z`))]);
  return { what: `${ticks} timestamps`, value, unit: 'us', peer: 'Date.parse', peerValue, ratio: peerValue / value, target };
}

async function request(ticks: number, target: string): Promise<BenchRow> {
  const { timestamps, prices } = body(ticks);
  const peer = (): Float64Array => Float64Array.from(timestamps, (text) => Date.parse(`${text}Z`));
  const [value = NaN, peerValue = NaN] = await measure([() => parseTickRequest(timestamps, prices), peer]);
  const what = `request of ${ticks} ticks, checked`;
  return { what, value, unit: 'us', peer: 'only Date.parse', peerValue, ratio: peerValue / value, target };
}

export const bench: Bench = {
  name: 'ticks',
  about: 'Timestamps and whole requests to typed arrays, compared with Date.parse.',
  async run() {
    return [
      await stamps(500, '<= 10 us'),
      await stamps(3000, '<= 60 us'),
      await request(500, '<= 60 us with features'),
      await request(3000, '<= 300 us with features'),
    ];
  },
};
