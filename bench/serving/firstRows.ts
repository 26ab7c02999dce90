import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import type { BenchRow } from '../Bench.ts';
import { ask } from './ask.ts';
import { median } from './quantile.ts';
import type { Rig } from './Rig.ts';
import { startTickmark } from './startTickmark.ts';

const STARTS = 5;
/** Number of forecasts after the first; the first is compared with their median. */
const NEXT = 200;

/**
 * The first forecast of a service that has just become ready, compared with the following ones, over several starts
 * (docs/explanation/reliability.md, row 33).
 */
export async function firstRows(rig: Rig): Promise<BenchRow[]> {
  const firsts: number[] = [];
  const medians: number[] = [];
  let name = '';
  const echo = await openEcho();
  for (let start = 0; start < STARTS; start++) {
    const side = rig.add(await startTickmark({ backend: 'auto', dataDir: path.join(rig.folder, `first${start}`) }));
    name = side.name;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    try {
      // Warms up the connection and the code of this process with bodies of the same size to an echo server.
      for (let i = 0; i < NEXT; i++) {
        await ask(side.port, { path: '/health/live', agent });
        await ask(echo.port, { path: '/', body: rig.bodies.even[i % rig.bodies.even.length], agent: echo.agent });
      }
      const timesMs: number[] = [];
      for (let i = 0; i <= NEXT; i++) {
        const startMs = performance.now();
        const { status } = await ask(side.port, {
          path: '/auth/ti-tick',
          body: rig.bodies.even[i % rig.bodies.even.length],
          key: side.keys[0],
          agent,
        });
        timesMs.push(performance.now() - startMs);
        if (status !== 200) throw new Error(`a forecast after the start: ${status}`);
      }
      firsts.push(timesMs[0]);
      medians.push(median(timesMs.slice(1)));
    } finally {
      agent.destroy();
      rig.end(side);
    }
  }
  echo.close();
  const [value, peerValue] = [median(firsts), median(medians)];
  return [
    {
      what: `${name}: first forecast after ready, median of ${STARTS} starts`,
      value,
      unit: 'ms',
      peer: `median of the next ${NEXT}`,
      peerValue,
      ratio: peerValue / value,
      target: '>= 0.5x',
    },
  ];
}

/** An echo server. */
async function openEcho(): Promise<{ readonly port: number; readonly agent: http.Agent; close(): void }> {
  const server = http.createServer((request, response) => void request.pipe(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    port: (server.address() as AddressInfo).port,
    agent,
    close: () => {
      agent.destroy();
      server.close();
    },
  };
}
