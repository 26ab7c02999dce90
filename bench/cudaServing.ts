import * as path from 'node:path';
import type { Bench } from './Bench.ts';
import { closedCells, closedRowsOf, failedRow } from './serving/closedCells.ts';
import { compareAnswers } from './serving/compareAnswers.ts';
import { readEffort } from './serving/effort.ts';
import { Rig } from './serving/Rig.ts';
import type { Side } from './serving/Side.ts';
import { startTickmark } from './serving/startTickmark.ts';

const CONNECTIONS = [1, 8, 32, 128] as const;

export const bench: Bench = {
  name: 'cudaServing',
  about:
    'POST /auth/ti-tick over loopback of two services at once, one with the NVIDIA card and one without, visited in turn in a random order.',
  async run() {
    const rig = await Rig.open(readEffort());
    try {
      const sides: Side[] = [];
      for (const backend of ['cuda', 'wasm'])
        sides.push(rig.add(await startTickmark({ backend, dataDir: path.join(rig.folder, backend) })));
      for (const side of sides) await compareAnswers(side, rig.bodies.even);
      const cells = await closedCells(rig, sides, CONNECTIONS);
      const compared = CONNECTIONS.flatMap((connections) => {
        const [card, here] = cells.filter((cell) => cell.connections === connections);
        return closedRowsOf('', card!, here);
      });
      return [failedRow('requests that failed', cells), ...compared];
    } finally {
      rig.close();
    }
  },
};
