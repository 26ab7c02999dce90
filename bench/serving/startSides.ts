import * as path from 'node:path';
import type { BenchRow } from '../Bench.ts';
import { ask } from './ask.ts';
import type { Rig } from './Rig.ts';
import { isMissing, type Side, type SideMissing } from './Side.ts';
import { startPeer } from './startPeer.ts';
import { startTickmark } from './startTickmark.ts';
import type { TickBodies } from './tickBodies.ts';

/** Starts all servers of the comparison with the version of the service; adds a row for each server that is unavailable here. */
export async function startSides(rig: Rig): Promise<{ sides: Side[]; rows: BenchRow[] }> {
  const started: (Side | SideMissing)[] = [];
  const ours = await startTickmark({
    backend: process.env['RUNTIME_BACKEND'] ?? 'auto',
    dataDir: path.join(rig.folder, 'data'),
    metrics: true,
  });
  started.push(ours);
  const { model } = JSON.parse((await ask(ours.port, { path: '/health/ready' })).text) as { model: string };
  started.push(await startPeer(rig.writeModel(model)));
  const sides = started.filter((side): side is Side => !isMissing(side));
  for (const side of sides) rig.add(side);
  return { sides, rows: [...bodyRows(rig.bodies), ...sides.flatMap(checkedRow), ...started.filter(isMissing).map(missingRow)] };
}

function bodyRows({ about, even, mixed }: TickBodies): BenchRow[] {
  const meanKb = (bodies: readonly string[]): number => bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length / 1000;
  return [
    { what: `mean of ${even.length} bodies of 501 entries, ${about}`, value: meanKb(even), unit: 'kB' },
    { what: `mean of ${mixed.length} bodies of mixed lengths, ${about}`, value: meanKb(mixed), unit: 'kB' },
  ];
}

/** Row of a peer: its runtime, and the largest difference of its logits. */
const checkedRow = ({ name, runtime, furthestLogit }: Side): BenchRow[] =>
  runtime === undefined || furthestLogit === undefined
    ? []
    : [
        {
          what: `${name}: ${runtime}; largest difference of a golden-row logit`,
          value: 1e6 * furthestLogit,
          unit: 'millionths',
          target: '<= 10',
        },
      ];

const missingRow = ({ name, missing }: SideMissing): BenchRow => ({ what: `skipped: ${name}: ${missing}`, value: 0, unit: 'cells' });
