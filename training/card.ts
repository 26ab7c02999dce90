import * as path from 'node:path';
import type { ModelManifest } from '../src/model/ModelManifest.ts';
import { parameterCount } from '../src/model/NetworkWeights.ts';
import type { RowCounts } from './data/buildRows.ts';
import type { Instrument } from './data/Instrument.ts';
import type { RowSet } from './data/RowSet.ts';
import type { Trained } from './Trained.ts';

/** The model card, Markdown: what it was trained on, how it was judged, what came out, how to make it again. */
export function writeCard(manifest: Omit<ModelManifest, 'files'>, trained: Trained): string {
  const { options, spec, built, folds, judgement } = trained;
  const number = (value: number): string => value.toLocaleString('en-US');
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  const heads = manifest.heads.map(({ name, calibration, bands }) => {
    const decisions = bands.decision.map((p) => (p === null ? 'abstains' : p.toFixed(3))).join(' | ');
    return `| ${name} | ${calibration.slope.toFixed(3)} | ${calibration.intercept.toFixed(3)} | ${decisions} |`;
  });
  return `# ${manifest.id}

${manifest.synthetic ? '**Trained on generated ticks: a demonstration, not a model of any market.**\n\n' : ''}A network of ${number(parameterCount(spec))} weights (LSTM of ${spec.units} units over ${spec.steps} × ${spec.sequenceColumns} patches of ticks, ${spec.contextColumns} context columns, ${spec.heads} heads)
that corrects an EWMA volatility logistic. It says how probable a move larger than the threshold is, from the first price at least 1 s after the last
tick to the last price at or before the future timestamp. It does not say in which direction, and promises no profit.

## Data

${dataTable(trained)}

Windows used and left out (data ends before the horizon; a session gap touches it; fewer than 40 distinct stamps or constant; window shorter than H/20):

| rows | used | data ends | session gap | no features | window too short |
| --- | ---: | ---: | ---: | ---: | ---: |
${countsRow('training', built.train.counts)}
${countsRow('test', built.test.counts)}

## Split

${folds.length > 1 ? `Leave one group out: ${folds.length} networks, each judged on a group of instruments that it never saw (${folds.map(({ name }) => name).join(', ')}).` : 'One group: judged on its later ticks, with purge and embargo.'}
Training origins lie at least max(H/4, 3 s) apart, test origins at least H + 1 s. Calibration in the table is fitted on the other folds. The served weights are
one more network with the same settings, trained on all rows; its calibration and thresholds come from the left-out predictions.

## Result on ticks the network never saw

Against the EWMA volatility logistic on the same rows, at the default threshold; brackets are 90 % intervals, clusters are (instrument, hour).

${judgement.table}

Verdict: ${judgement.atOrAboveBaseline ? 'at or above the baseline.' : 'below the baseline.'}
${judgement.notes.map((note) => `- ${note}`).join('\n')}

## Heads

Calibrated logit = slope × logit + intercept; smallest probability that is marked, by band of ln(θ/θ*) (up to ${manifest.heads[0]?.bands.upper.join(', ')}). No head calls a direction.

| head | slope | intercept | ${manifest.heads[0]?.bands.upper.map((upper) => `≤ ${upper}`).join(' | ')} |
| --- | ---: | ---: | ${manifest.heads[0]?.bands.upper.map(() => '---:').join(' | ')} |
${heads.join('\n')}

Trained range: horizons ${manifest.trained.horizonS.join(' to ')} s, H/W up to ${manifest.trained.horizonToWindow[1]}, median gap ${manifest.trained.medianGapS.map((s) => s.toPrecision(3)).join(' to ')} s, ln(θ/θ*) ±${manifest.trained.logThetaRatio[1]}.
Share of training rows from series thinned to bars: ${percent(built.train.rows.thinned.reduce((sum, flag) => sum + flag, 0) / built.train.rows.count)}.

## Command

\`\`\`
${options.command}
\`\`\`

Seed ${options.seed}, ${options.epochs} epochs, batches of ${options.batchSize}, peak learning rate ${options.learningRate}.
`;
}

function dataTable({ instruments, sources, built }: Trained): string {
  const counts = rowsPerInstrument(instruments, built.train.rows);
  const rows = instruments.map(({ file, group }, i) => {
    const source = sources.find((entry) => path.basename(entry.file) === file.name);
    return `| ${file.name} | ${source?.instrument ?? ''} | ${group} | ${file.rows.toLocaleString('en-US')} | ${counts[i]} | ${source?.source ?? ''} | ${source?.licence ?? ''} | ${file.sha256} |`;
  });
  return [
    '| file | instrument | group | ticks | training rows | source | licence | SHA-256 |',
    '| --- | --- | --- | ---: | ---: | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function countsRow(name: string, counts: RowCounts): string {
  return `| ${name} | ${counts.used} | ${counts.data_ends} | ${counts.session_gap} | ${counts.no_features} | ${counts.window_too_short} |`;
}

function rowsPerInstrument(instruments: readonly Instrument[], rows: RowSet): number[] {
  const counts = instruments.map(() => 0);
  for (const instrument of rows.instrument) counts[instrument] = (counts[instrument] as number) + 1;
  return counts;
}
