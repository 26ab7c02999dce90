import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { CONTEXT_COLUMNS, baselineInput, CONTEXT_COLUMN_NAMES, SEQUENCE_COLUMN_NAMES } from '../src/engine/features/columns.ts';
import { bucketOf } from '../src/engine/features/horizonBuckets.ts';
import type { ModelManifest } from '../src/engine/model/ModelManifest.ts';
import { Network } from '../src/engine/model/Network.ts';
import type { NetworkSpec, WeightArrays } from '../src/engine/model/NetworkWeights.ts';
import type { Golden } from '../src/engine/model/modelFiles.ts';
import { saveModelFolder } from '../src/engine/model/saveModelFolder.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { type CardFacts, writeCard } from './card.ts';
import { SEQUENCE_SIZE } from './data/RowSet.ts';
import { inputsText } from './evaluation/describeRun.ts';
import { ownSpans } from './planRun.ts';
import { SeenTicksWriter } from './data/SeenTicksWriter.ts';

/** One row of generated ticks per head with the output of the network: every later load must give the same output. */
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
      if (output === undefined) throw new Error('the network returned no row');
      return { sequence: [...sequence], context: [...context], baseline, ...output };
    });
    return { rows };
  } finally {
    network.dispose();
  }
}

export type VersionFacts = Omit<CardFacts, 'manifest'> & {
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly report: string;
};

/** Writes the folder of a version: manifest, plain LayersModel, golden rows, card, report, statistics of its inputs, out-of-fold predictions. Returns the folder. */
export async function writeVersion(facts: VersionFacts): Promise<string> {
  const { candidate, options, plan, sources, tables, createdAt, report } = facts;
  const spans = ownSpans(options, plan);
  const manifest: Omit<ModelManifest, 'files'> = {
    format: 'tickmark-model/4',
    id: options.id,
    createdAt,
    network: candidate.spec,
    sequenceColumns: SEQUENCE_COLUMN_NAMES,
    contextColumns: CONTEXT_COLUMN_NAMES,
    heads: candidate.heads,
    trained: candidate.trained,
    synthetic: options.data.length === 0,
    gate: {
      verdict: candidate.verdict.passed ? 'passed' : 'not_passed',
      against: candidate.against,
      summary: candidate.verdict.headline,
    },
    lineage: {
      kind: options.mode === 'base' ? 'base' : 'fine_tune',
      parent: options.mode === 'base' ? null : (options.parent?.manifest.id ?? null),
      code: plan.code,
      seed: options.seed,
      data: [...spans, ...(options.parent?.manifest.lineage.data ?? [])],
    },
  };
  const seen = new SeenTicksWriter(options.parent?.seen);
  for (const [at, source] of plan.sources.entries()) for (const { series } of source.segments()) seen.add(series, spans[at]);
  const extra = {
    'report.html': report,
    'inputs.json': inputsText(candidate.train.rows),
    ...(candidate.outOfFold === undefined ? {} : { 'out-of-fold.json': candidate.outOfFold }),
  };
  await saveModelFolder(
    options.out,
    {
      manifest,
      weights: candidate.weights,
      golden: goldenRows(candidate.spec, candidate.weights),
      card: writeCard({ manifest, candidate, options, plan, sources, tables }),
      extra,
      seen: seen.json(),
      memory: candidate.memory,
      bars: options.parent?.bars,
    },
    { replace: options.replace },
  );
  return `${options.out}/${options.id}`;
}
