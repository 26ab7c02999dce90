import { CONTEXT_COLUMNS, baselineInput } from '../src/features/columns.ts';
import { FeatureBuilder } from '../src/features/FeatureBuilder.ts';
import type { Golden } from '../src/model/modelFiles.ts';
import { bucketOf } from '../src/features/horizonBuckets.ts';
import type { NetworkSpec } from '../src/model/NetworkSpec.ts';
import type { WeightArrays } from '../src/model/NetworkWeights.ts';
import { Network } from '../src/model/Network.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { SEQUENCE_SIZE } from './data/RowSet.ts';

/** One row of generated ticks per head with the output of the network: every later load must give the same output. */
export function goldenRows(spec: NetworkSpec, weights: WeightArrays): Golden {
  const network = new Network(spec, weights);
  const builder = new FeatureBuilder();
  try {
    const rows = [12, 60, 400, 1500].map((horizonS, i) => {
      const series = syntheticTicks({ seed: 900 + i, count: 600 });
      const lastUs = series.timesUs[series.timesUs.length - 1] as number;
      const measures = builder.read(series, 0, series.timesUs.length, lastUs + horizonS * 1e6);
      if (typeof measures === 'string') throw new Error(`golden row ${i}: ${measures}`);
      const sequence = new Float32Array(SEQUENCE_SIZE);
      const context = new Float32Array(CONTEXT_COLUMNS);
      const refusal = builder.write(measures.thetaDefault, sequence, 0, context, 0);
      if (refusal !== null) throw new Error(`golden row ${i}: ${refusal}`);
      const baseline = Math.fround(baselineInput(measures, measures.thetaDefault));
      const head = bucketOf(horizonS);
      const [output] = network.run({ size: 1, sequence, context, baseline: Float32Array.of(baseline), heads: [head] });
      if (output === undefined) throw new Error('the network returned no row');
      return { sequence: [...sequence], context: [...context], baseline, ...output };
    });
    return { rows };
  } finally {
    network.dispose();
  }
}
