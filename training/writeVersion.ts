import { CONTEXT_COLUMN_NAMES, SEQUENCE_COLUMN_NAMES } from '../src/features/columns.ts';
import type { ModelManifest } from '../src/model/ModelManifest.ts';
import type { NetworkSpec } from '../src/model/NetworkSpec.ts';
import { saveModelFolder } from '../src/model/saveModelFolder.ts';
import type { Candidate } from './Candidate.ts';
import { writeCard } from './card.ts';
import type { Source } from './data/readSources.ts';
import { inputsText } from './evaluation/describeInputs.ts';
import { goldenRows } from './goldenRows.ts';
import { ownSpans } from './ownSpans.ts';
import type { RunPlan } from './planRun.ts';
import type { TrainOptions } from './TrainOptions.ts';

export type VersionFacts = {
  readonly candidate: Candidate;
  readonly options: TrainOptions;
  readonly plan: RunPlan;
  readonly spec: NetworkSpec;
  readonly sources: readonly Source[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly report: string;
};

/** Writes the folder of a version: manifest, plain LayersModel, golden rows, card, report, statistics of its inputs, out-of-fold predictions. Returns the folder. */
export async function writeVersion(facts: VersionFacts): Promise<string> {
  const { candidate, options, plan, spec, sources, createdAt, report } = facts;
  const manifest: Omit<ModelManifest, 'files'> = {
    format: 'tickmark-model/2',
    id: options.id,
    createdAt,
    network: spec,
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
      kind: options.mode,
      parent: options.parent?.manifest.id ?? null,
      code: plan.code,
      seed: options.seed,
      data: [...ownSpans(options, plan), ...(options.parent?.manifest.lineage.data ?? [])],
    },
  };
  const extra = {
    'report.html': report,
    'inputs.json': inputsText(candidate.train.rows),
    ...(candidate.outOfFold === undefined ? {} : { 'out-of-fold.json': candidate.outOfFold }),
    ...(candidate.learnedRules === undefined ? {} : { 'rules.json': candidate.learnedRules }),
  };
  await saveModelFolder(
    options.out,
    {
      manifest,
      weights: candidate.weights,
      golden: goldenRows(spec, candidate.weights),
      card: writeCard({ manifest, candidate, options, plan, sources }),
      extra,
    },
    { replace: options.replace },
  );
  return `${options.out}/${options.id}`;
}
