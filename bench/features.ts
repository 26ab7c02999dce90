import { CONTEXT_COLUMNS } from '../src/engine/features/columns.ts';
import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../src/engine/features/WindowMeasures.ts';
import { formatTimestamp } from '../src/ticks/timestamps.ts';
import { parseTickRequest } from '../src/ticks/parseTickRequest.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../src/ticks/TickSeries.ts';
import { naiveMeasures } from '../test/support/naiveMeasures.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const HORIZON_US = 60_000_000;
/** Read in turn: the builder keeps what it has measured of the last one, and the processor learns the branches of a few. */
const WINDOWS = 64;

async function rows(ticks: number, target: string): Promise<BenchRow[]> {
  const builder = new FeatureBuilder();
  const sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
  const context = new Float32Array(CONTEXT_COLUMNS);
  const build = (series: TickSeries, futureUs: number): void => {
    const measures = builder.read(series, 0, series.timesUs.length, futureUs);
    if (typeof measures === 'string') throw new Error(measures);
    builder.write(measures.thetaDefault, sequence, 0, context, 0);
  };
  const windows = Array.from({ length: WINDOWS }, (_, seed) => {
    const series = syntheticTicks({ seed, count: ticks });
    const futureUs = series.timesUs[ticks - 1] + HORIZON_US;
    // Through JSON, as in a request, so that the parser creates the strings.
    const texts = JSON.parse(JSON.stringify([...series.timesUs, futureUs].map((us) => formatTimestamp(us)))) as string[];
    return { series, futureUs, texts, prices: [...series.prices, 0] };
  });
  let at = 0;
  const next = (): (typeof windows)[number] => windows[(at = (at + 1) % WINDOWS)];
  const [built = NaN, whole = NaN, naive = NaN, dates = NaN] = await measure([
    () => {
      const { series, futureUs } = next();
      build(series, futureUs);
    },
    () => {
      const { texts, prices } = next();
      const request = parseTickRequest(texts, prices);
      build(request.series, request.futureUs);
    },
    () => {
      const { series, futureUs } = next();
      return naiveMeasures(series, futureUs);
    },
    () => Float64Array.from(next().texts, (text) => Date.parse(`${text}Z`)),
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
  about: 'Sequence and context of windows of synthetic ticks, horizon 60 s, 64 in turn; and the same from the text of a request.',
  async run() {
    return [...(await rows(500, '<= 60 us')), ...(await rows(3000, '<= 300 us'))];
  },
};
