import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { spawnTickmark, type Ended } from './tickmarkProcess.ts';

/** A folder with a file of synthetic ticks, and the command line of `tickmark` over it. */
export class TrainingFolder {
  readonly folder = temporaryFolder();
  readonly file = path.join(this.folder, 'ticks.csv');
  readonly dataDir = path.join(this.folder, 'data');

  constructor(count: number) {
    const { timesUs, prices } = syntheticTicks({ seed: 3, count, medianGapMs: 800 });
    const rows = [...prices].map((price, i) => `${formatTimestamp(timesUs[i] as number)},${price}`);
    writeFileSync(this.file, ['timestamp,price', ...rows, ''].join('\n'));
  }

  run(...args: string[]): Promise<Ended> {
    return spawnTickmark(args, { DATA_DIR: this.dataDir }).ended;
  }

  weightsOf(name: string, dataDir = this.dataDir): string {
    return createHash('sha256')
      .update(readFileSync(path.join(dataDir, 'models', name, 'weights.bin')))
      .digest('hex');
  }
}
