import { systemClock } from '../src/core/Clock.ts';
import { CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS, SEQUENCE_COLUMN_NAMES, baselineInput } from '../src/features/columns.ts';
import { FeatureBuilder } from '../src/features/FeatureBuilder.ts';
import type { Golden } from '../src/model/modelFiles.ts';
import type { ModelManifest } from '../src/model/ModelManifest.ts';
import { bucketOf, type NetworkSpec } from '../src/model/NetworkSpec.ts';
import type { WeightArrays } from '../src/model/NetworkWeights.ts';
import { Network } from '../src/model/Network.ts';
import { saveModelFolder } from '../src/model/saveModelFolder.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { writeCard } from './card.ts';
import { MAX_HORIZON_TO_WINDOW } from './data/buildRows.ts';
import { LOG_THETA_RANGE, TRAINED_HORIZON_S } from './data/planRows.ts';
import { SEQUENCE_SIZE } from './data/RowSet.ts';
import { fitHeads } from './evaluation/fitHeads.ts';
import type { Trained } from './Trained.ts';

/** Writes the folder of a trained version: manifest, plain LayersModel, golden rows, card. Returns the folder. */
export async function writeVersion(trained: Trained): Promise<string> {
  const { options, spec, built, served, outOfFold } = trained;
  const rows = built.train.rows;
  const manifest: Omit<ModelManifest, 'files'> = {
    format: 'tickmark-model/1',
    id: options.id,
    createdAt: new Date(systemClock.nowMs()).toISOString(),
    network: spec,
    sequenceColumns: SEQUENCE_COLUMN_NAMES,
    contextColumns: CONTEXT_COLUMN_NAMES,
    heads: fitHeads(outOfFold),
    trained: {
      horizonS: TRAINED_HORIZON_S,
      horizonToWindow: [0, MAX_HORIZON_TO_WINDOW],
      medianGapS: middleRange(rows.medianGapS),
      logThetaRatio: [-LOG_THETA_RANGE, LOG_THETA_RANGE],
    },
    synthetic: options.data.length === 0,
  };
  await saveModelFolder(
    options.out,
    { manifest, weights: served.weights, golden: goldenRows(spec, served.weights), card: writeCard(manifest, trained) },
    { replace: options.replace },
  );
  return `${options.out}/${options.id}`;
}

/** The range that holds all but one row in a thousand at either end. */
function middleRange(values: Float32Array): [number, number] {
  const sorted = values.slice().sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number;
  return [at(0.001), at(0.999)];
}

/** One row of generated ticks per head with what the network says of it: every later load must say the same. */
function goldenRows(spec: NetworkSpec, weights: WeightArrays): Golden {
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
      if (output === undefined) throw new Error('the network gave no row');
      return { sequence: [...sequence], context: [...context], baseline, ...output };
    });
    return { rows };
  } finally {
    network.dispose();
  }
}
