import * as http from 'node:http';
import * as path from 'node:path';
import type { BenchRow } from '../Bench.ts';
import { ask } from './ask.ts';
import type { Rig } from './Rig.ts';
import { startTickmark, type Side } from './startTickmark.ts';
import { median } from './summarize.ts';

const STARTS = 5;
/** Number of forecasts after the first; the first is compared with their median. */
const NEXT = 200;

/**
 * The first forecast of a service that has just become ready, compared with the following ones, over several starts
 * (docs/explanation/reliability.md, row 33).
 */
export async function firstRows(rig: Rig, peer: Side): Promise<BenchRow[]> {
  const { even } = rig.bodies;
  const [firsts, medians]: [number[], number[]] = [[], []];
  let name = '';
  for (let start = 0; start < STARTS; start++) {
    const side = rig.add(await startTickmark({ backend: 'auto', dataDir: path.join(rig.folder, `first${start}`) }));
    name = side.name;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const send = async ({ port, keys }: Side, i: number, agent?: http.Agent): Promise<number> => {
      const startMs = performance.now();
      const { status } = await ask(port, { path: '/auth/ti-tick', body: even[i % even.length], key: keys[0], agent });
      if (status !== 200) throw new Error(`a forecast after the start: ${status}`);
      return performance.now() - startMs;
    };
    // Warms up the connection, and the code of this process with bodies of the same size to the peer.
    for (let i = 0; i < NEXT; i++) {
      await ask(side.port, { path: '/health/live', agent });
      await send(peer, i);
    }
    const timesMs: number[] = [];
    for (let i = 0; i <= NEXT; i++) timesMs.push(await send(side, i, agent));
    firsts.push(timesMs[0]);
    medians.push(median(timesMs.slice(1)));
    agent.destroy();
    rig.end(side);
  }
  const [value, peerValue] = [median(firsts), median(medians)];
  const what = `${name}: first forecast after ready, median of ${STARTS} starts`;
  return [{ what, value, unit: 'ms', peer: `median of the next ${NEXT}`, peerValue, ratio: peerValue / value, target: '>= 0.5x' }];
}
