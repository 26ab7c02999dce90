import { mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import { CONTEXT_TABLE } from '../../src/engine/features/columns.ts';
import { fitBaselines } from '../../training/loop/predictRows.ts';
import { splitValidation } from '../../training/splits/splitValidation.ts';
import { openSearch } from './openSearch.ts';

const COLUMNS = ['context', 'baseline', 'theta', 'move', 'head', 'horizonS', 'instrument', 'originUs', 'sequence'] as const;

/** Writes rows, folds and baselines of an experiment file as plain arrays for headroom.py. */
async function main(runFile: string, folder: string): Promise<void> {
  const { sources, train, test, folds, classOf } = await openSearch(runFile);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, { buffer, byteOffset, byteLength }: ArrayBufferView): void =>
    writeFileSync(path.join(folder, name), new Uint8Array(buffer, byteOffset, byteLength));
  for (const column of COLUMNS) {
    write(`training.${column}`, train[column]);
    write(`test.${column}`, test[column]);
  }
  const groupOf = (instrument: number): string => sources[instrument]?.group ?? '';
  const fitted = folds.map((fold, at) => {
    const { training } = splitValidation(train, fold.train, groupOf);
    write(`fold${at}.training`, training);
    write(
      `fold${at}.test`,
      fold.test.filter((row) => test.barS[row] === 0),
    );
    return { name: fold.name, baselines: fitBaselines(train, training, BUCKET_NAMES.length) };
  });
  const meta = {
    training: { count: train.count, draws: train.draws },
    test: { count: test.count, draws: test.draws },
    unsigned: CONTEXT_TABLE.flatMap(({ mirror }, at) => (mirror === 'same' ? [at] : [])),
    sources: sources.map(({ name, group }, at) => [name, group, classOf(at)]),
    folds: fitted,
  };
  writeFileSync(path.join(folder, 'meta.json'), JSON.stringify(meta));
}

const [runFile, folder] = process.argv.slice(2);
if (runFile === undefined || folder === undefined) {
  process.stderr.write('Usage: node --import tsx bench/search/dumpRows.ts RUN.json FOLDER\n');
  process.exitCode = 1;
} else await main(runFile, folder);
