import { readdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { loadModelFolder } from '../../src/engine/model/loadModelFolder.ts';
import { MODEL_FILES } from '../../src/engine/model/modelFiles.ts';
import { openTestRows } from '../../training/data/openTestRows.ts';
import { thresholdSlope } from '../../training/evaluation/thresholdSlope.ts';
import { markdownTable } from '../../training/metrics/formatComparison.ts';
import { sigmoid } from '../../training/metrics/logistic.ts';
import { allRows } from '../../training/splits/planFolds.ts';

const USAGE = `Usage: node --import tsx bench/search/thresholdSlopes.ts VERSION FOLDER... --cache FOLDER [--write]
The slope of the baseline of a version in ln(theta/theta*), from the folders of the tick files that it was trained on, and the Brier score of
the baseline with it and with the slope inside the network. --write stores the slopes in the manifest, in its present form.`;
/** ln(theta / theta*) at which the slope is fitted, and the Brier score is compared. */
const RATIOS = [-1.05, -0.5, 0.5, 1.05, 1.7];
const HORIZONS_S = [10, 60, 300, 1800];

const { values, positionals } = parseArgs({ options: { cache: { type: 'string' }, write: { type: 'boolean' } }, allowPositionals: true });
const [folder, ...data] = positionals;
if (folder === undefined || data.length === 0 || values.cache === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}
const { manifest, weights } = loadModelFolder(path.resolve(folder));
const files = data.flatMap((dir) => readdirSync(dir).filter((file) => file.endsWith('.csv.gz')).map((file) => path.join(dir, file))); // prettier-ignore
const { made } = await openTestRows(
  { data: files, groups: {}, reading: {}, horizonsS: HORIZONS_S, barS: 0, workDir: values.cache, seed: 1, workers: 1 },
  () => {},
);
const { rows } = made;
const index = allRows(rows);
const heads = manifest.heads.map((head, at) => {
  const slope = weights['baseline/kernel'][at]!;
  const logitOf = (row: number): number => weights['baseline/bias'][at]! + slope * rows.baseline[row * rows.draws]!;
  const members = index.filter((row) => rows.head[row] === at);
  const ratios = [0, ...RATIOS];
  const entries = [...members].flatMap((row) => ratios.map((ratio) => ({ row, ratio })));
  const moved = (row: number, ratio: number): number => (Math.abs(rows.move[row]!) > rows.thetaDefault[row]! * Math.exp(ratio) ? 1 : 0);
  const own = thresholdSlope(
    {
      count: entries.length,
      row: Int32Array.from(entries, ({ row }) => row),
      head: new Uint8Array(entries.length).fill(at),
      label: Uint8Array.from(entries, ({ row, ratio }) => moved(row, ratio)),
      baselineLogit: Float64Array.from(entries, ({ row }) => logitOf(row)),
      logThetaRatio: Float64Array.from(entries, ({ ratio }) => ratio),
    },
    at,
    head.calibration,
  )!;
  const brier = (of: number, ratio: number): number =>
    members.reduce((sum, row) => sum + (sigmoid(logitOf(row) - of * ratio) - moved(row, ratio)) ** 2, 0) / members.length;
  const line = [
    ...[head.name, String(members.length), slope.toFixed(2), own.toFixed(2)],
    ...RATIOS.map((ratio) => `${brier(slope, ratio).toFixed(4)}, ${brier(own, ratio).toFixed(4)}`),
  ];
  return { head: { ...head, thresholdSlope: Number(own.toFixed(4)) }, line };
});
const names = RATIOS.map((ratio) => `Brier at ${ratio}: slope of the network, own`);
const title = ['head', 'rows', 'slope of the network', 'own slope'];
process.stdout.write(`${markdownTable([[...title, ...names], ...heads.map(({ line }) => line)]).join('\n')}\n`);
if (values.write === true) {
  const text = JSON.stringify({ ...manifest, heads: heads.map(({ head }) => head) }, null, 2);
  writeFileSync(path.join(folder, MODEL_FILES.manifest), `${text}\n`);
}
