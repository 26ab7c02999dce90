import { mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { tensorflowEnvironment } from '../../src/core/config/settings.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import { runJob } from '../../training/loop/runJob.ts';
import type { TrainJobSetting } from '../../training/loop/TrainJob.ts';
import { networkSpec } from '../../training/networkSpec.ts';
import { openSearch } from '../search/openSearch.ts';
import { packRows, type ScoredRow, writeScoredRows } from './ScoredRows.ts';

const USAGE = `Usage: node --import tsx bench/memory/leftOut.ts RUN.json ROWS.bin
Trains the base of the experiment file RUN.json once for each left-out group and writes the log-odds of the left-out origins, at the
default threshold and at the five others of test rows. A network that is finished is not trained again. RUN.json has the settings of
\`tickmark train --experiment\`.`;
const SEED_STRIDE = 101;

/** The networks of `train --base` with one seed, without that on all rows. */
async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [runFile, rowsFile] = positionals;
  if (runFile === undefined || rowsFile === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const { options, sources, train, test, folds } = await openSearch(runFile);
  const runtime = await openRuntime(options.backend, { environment: tensorflowEnvironment() });
  const runDir = path.join(options.workDir, 'left-out');
  mkdirSync(runDir, { recursive: true });
  const { epochs, batchSize, learningRate, schedule, patience, seed, stop } = options;
  const setting: TrainJobSetting = {
    ...{ trainRows: train, testRows: test, groups: sources.map(({ group }) => group), spec: networkSpec(options.units) },
    ...{ epochs, batchSize, learningRate, schedule, patience, validations: 2, seed, stop },
    ...{ backend: runtime.backend, runDir, resume: true, deadlineMs: Infinity },
  };
  const rows = folds.flatMap((fold, at): ScoredRow[] => {
    const index = fold.test.filter((row) => test.barS[row] === 0);
    const place = { name: `without ${fold.name}`, train: fold.train, test: index, seed: seed + SEED_STRIDE * (at + 1) };
    const { predicted, baselines, seconds } = runJob({ kind: 'network', ...place }, setting, () => {});
    process.stderr.write(`without ${fold.name}: ${seconds.toFixed(0)} s\n`);
    return Array.from(predicted.residual, (residual, i): ScoredRow => {
      const row = predicted.index[Math.floor(i / predicted.draws)]!;
      const draw = i % predicted.draws;
      const [theta, volatility] = [test.theta[row * test.draws + draw]!, test.baseline[row * test.draws + draw]!];
      const { slope, intercept } = baselines[test.head[row]!]!;
      return {
        ...{ of: test.instrument[row]!, originUs: test.originUs[row]!, horizonS: test.horizonS[row]!, draw, theta, move: test.move[row]! },
        sigma: (Math.exp(volatility) * theta) / Math.sqrt(test.horizonS[row]!),
        ewma: intercept + slope * volatility,
        base: predicted.baseline[i]! + residual,
      };
    });
  });
  const fileOf = (name: string): string => options.data.find((file) => path.basename(file).startsWith(`${name}.`))!;
  writeScoredRows(
    rowsFile,
    packRows(
      sources.map(({ name, group }) => ({ name, files: [fileOf(name)], group })),
      rows,
    ),
  );
  return 0;
}

process.exitCode = await main();
