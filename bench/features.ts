import { CONTEXT_COLUMNS } from '../src/features/columns.ts';
import { FeatureBuilder } from '../src/features/FeatureBuilder.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../src/features/WindowMeasures.ts';
import { formatTimestamp } from '../src/ticks/timestamps.ts';
import { parseTickRequest } from '../src/ticks/parseTickRequest.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../src/ticks/TickSeries.ts';
import { naiveMeasures } from '../test/support/naiveMeasures.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const HORIZON_US = 60_000_000;

async function rows(ticks: number, target: string): Promise<BenchRow[]> {
  const builder = new FeatureBuilder();
  const sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
  const context = new Float32Array(CONTEXT_COLUMNS);
  const build = (series: TickSeries, futureUs: number): void => {
    const measures = builder.read(series, 0, series.timesUs.length, futureUs);
    if (typeof measures === 'string') throw new Error(measures);
    builder.write(measures.thetaDefault, sequence, 0, context, 0);
  };
  const series = syntheticTicks({ seed: 1, count: ticks });
  const futureUs = series.timesUs[ticks - 1]! + HORIZON_US;
  // Through JSON, as in a request, so that the parser creates the strings.
  const texts = JSON.parse(JSON.stringify([...series.timesUs, futureUs].map((us) => formatTimestamp(us)))) as string[];
  const prices = [...series.prices, 0];
  const [built = NaN, whole = NaN, naive = NaN, dates = NaN] = await measure([
    () => build(series, futureUs),
    () => {
      const request = parseTickRequest(texts, prices);
      build(request.series, request.futureUs);
    },
    () => naiveMeasures(series, futureUs),
    () => Float64Array.from(texts, (text) => Date.parse(`${text}Z`)),
  ]);
  return [
    {
      what: `features of ${ticks} ticks`,
      value: built,
      unit: 'us',
      peer: 'only sigma, q, c, written naively',
      peerValue: naive,
      ratio: naive / built,
    },
    {
      what: `request of ${ticks} ticks to features`,
      value: whole,
      unit: 'us',
      peer: 'only Date.parse',
      peerValue: dates,
      ratio: dates / whole,
      target,
    },
  ];
}

export const bench: Bench = {
  name: 'features',
  about: 'Sequence and context of one window of synthetic ticks, horizon 60 s; and the same from the text of a request.',
  async run() {
    return [...(await rows(500, '<= 60 us')), ...(await rows(3000, '<= 300 us'))];
  },
};
