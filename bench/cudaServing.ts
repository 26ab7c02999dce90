import * as path from 'node:path';
import type { Bench } from './Bench.ts';
import { closedRows } from './serving/closedRows.ts';
import { Rig } from './serving/Rig.ts';
import { startTickmark } from './serving/startTickmark.ts';

export const bench: Bench = {
  name: 'cudaServing',
  about: 'POST /auth/ti-tick over loopback of two services at once, one with the NVIDIA card and one without, visited in turn.',
  async run() {
    const rig = await Rig.open();
    try {
      const start = async (backend: string) => rig.add(await startTickmark({ backend, dataDir: path.join(rig.folder, backend) }));
      return await closedRows(rig, [await start('cuda')], await start('wasm'), [1, 8, 32, 128]);
    } finally {
      rig.close();
    }
  },
};
