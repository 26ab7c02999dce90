import type { ModelManifest } from '../src/engine/model/ModelManifest.ts';
import { parameterCount } from '../src/engine/model/NetworkWeights.ts';
import type { Candidate } from './Candidate.ts';
import type { RowCounts } from './data/buildRow.ts';
import { describeScope } from './data/HorizonScope.ts';
import type { Source } from './data/readSources.ts';
import { tableText } from './evaluation/scoreTables.ts';
import { markdownTable } from './metrics/formatComparison.ts';
import type { RunPlan } from './planRun.ts';
import type { ReportTable } from './report/ReportData.ts';
import type { TrainOptions } from './TrainOptions.ts';

/** The data of a card. */
export type CardFacts = {
  readonly manifest: Omit<ModelManifest, 'files'>;
  readonly candidate: Candidate;
  readonly options: TrainOptions;
  readonly plan: RunPlan;
  /** Sources of the files; empty if none were given. */
  readonly sources: readonly Source[];
  /** Of `candidateTables`. */
  readonly tables: readonly ReportTable[];
};

/** The model card in Markdown: training data, evaluation, results, and the command that reproduces the version. */
export function writeCard({ manifest, candidate, options, plan, sources, tables }: CardFacts): string {
  const { network: spec, lineage, gate } = manifest;
  const weights = parameterCount(spec).toLocaleString('en-US');
  const tuned = lineage.kind === 'fine_tune';
  const notes = [...plan.notes, ...candidate.notes];
  return [
    `# ${manifest.id}`,
    ...(manifest.synthetic ? ['**Trained on generated ticks: a demonstration, not a model of any market. It cannot be promoted.**'] : []),
    ...(gate.verdict === 'not_passed' ? [`**Did not pass the gate: ${gate.summary}**`] : []),
    `A network of ${weights} weights (LSTM of ${spec.units} units over ${spec.steps} × ${spec.sequenceColumns} patches of ticks, ${spec.contextColumns} context columns, ${spec.heads} heads) that corrects an EWMA volatility logistic. ${tuned ? `The trunk is that of ${lineage.parent}; tuned here: ${describeScope(options.scope)}. ` : ''}It gives the probability of a move larger than the threshold, from the first price at least 1 s after the last tick to the last price at or before the future timestamp. It does not promise profit.`,
    '## Gate',
    gate.summary,
    candidate.verdict.checks.map(({ holds, text }) => `- ${holds ? 'holds' : '**fails**'}: ${text}`).join('\n'),
    '## Split',
    splitText(candidate, options),
    '## Result',
    'Brackets are 95 % intervals, ≥ is the one-sided lower 90 % bound; clusters are (instrument, hour), and days where a row says so. As served: the memory of a series has seen every tick before the origin and the outcomes of earlier test windows of its horizon; the EWMA logistic and the base rate have learned from the same outcomes.',
    ...tables.map(tableText),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
    '## Heads',
    headsText(manifest),
    '## Data',
    dataText(plan, sources),
    countsText(candidate),
    '## Command',
    `\`\`\`\n${options.command}\n\`\`\``,
    `Seed ${options.seed}, ${options.seeds} ${options.seeds === 1 ? 'network' : 'networks'} per fold, at most ${options.epochs} epochs, batches of ${options.batchSize}, peak learning rate ${options.learningRate} (${options.schedule}), code ${lineage.code}.`,
    '',
  ].join('\n\n');
}

function splitText({ folds, seen, compared: { scores } }: Candidate, { mode }: TrainOptions): string {
  const how =
    mode === 'fine_tune'
      ? 'Trained on the earlier ticks of each group and evaluated on the last 30 %, with purge and an embargo of ten minutes. The served weights are the evaluated ones.'
      : folds.length > 1
        ? `Leave one group out: ${folds.length} networks, each evaluated on a group of instruments that it never saw (${folds.join(', ')}). The served weights belong to one more network with the same settings, trained on all rows. Calibration and thresholds come from the left-out predictions.`
        : 'One group: evaluated on its later ticks, with purge and embargo. The served weights belong to one more network, trained on all rows.';
  return `${how} Training origins are at least max(H/4, 3 s) apart, test origins at least H + 1 s. ${scores.row.length} test origins count${seen > 0 ? `, ${seen} do not: the parent was trained on them` : ''}.`;
}

function headsText({ heads, trained }: CardFacts['manifest']): string {
  const rows = heads.map(({ name, calibration, cut, residual, directionPassed, ticks }) => [
    name,
    residual,
    calibration.slope.toFixed(3),
    calibration.intercept.toFixed(3),
    cut === null ? 'abstains' : cut.toFixed(3),
    directionPassed ? 'yes' : 'no',
    ticks === undefined ? 'not measured' : String(ticks),
  ]);
  return [
    `Calibrated logit = slope × logit + intercept; the cut is the smallest probability that gives a mark (at least 0.1), at any threshold.`,
    '',
    ...markdownTable([['head', 'residual', 'slope', 'intercept', 'cut', 'states a direction', 'ticks that suit it'], ...rows], true),
    '',
    `Trained range: horizons ${trained.horizonS.join(' to ')} s, H/W up to ${trained.horizonToWindow[1]}, median gap ${trained.medianGapS.map((s) => s.toPrecision(3)).join(' to ')} s, θ from ${Math.exp(trained.logThetaRatio[0]).toPrecision(2)} to ${Math.exp(trained.logThetaRatio[1]).toPrecision(2)} times θ*.`,
  ].join('\n');
}

function dataText({ sources }: RunPlan, known: readonly Source[]): string {
  const rows = sources.map(({ file, group }) => {
    const source = known.find((entry) => entry.file.split('/').at(-1) === file.name);
    return [
      file.name,
      source?.instrument ?? '',
      group,
      file.rows.toLocaleString('en-US'),
      source?.source ?? '',
      source?.licence ?? '',
      file.sha256,
    ];
  });
  return markdownTable([['file', 'instrument', 'group', 'ticks', 'source', 'licence', 'SHA-256'], ...rows]).join('\n');
}

function countsText({ train, test }: Candidate): string {
  const row = (name: string, counts: RowCounts): string[] => [
    name,
    ...[counts.used, counts.data_ends, counts.session_gap, counts.no_features, counts.window_too_short].map(String),
  ];
  return [
    'Windows used and excluded (the data ends before the horizon; a session gap overlaps it; fewer than 40 distinct timestamps or a constant price; a window shorter than H/20):',
    '',
    ...markdownTable(
      [
        ['rows', 'used', 'data ends', 'session gap', 'no features', 'window too short'],
        row('training', train.counts),
        row('test', test.counts),
      ],
      true,
    ),
  ].join('\n');
}
