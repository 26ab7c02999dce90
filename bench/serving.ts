import type { Bench, BenchRow } from './Bench.ts';
import { closedRows } from './serving/closedCells.ts';
import { compareAnswers } from './serving/compareAnswers.ts';
import { readEffort } from './serving/effort.ts';
import { firstRows } from './serving/firstRows.ts';
import { kneeRows } from './serving/kneeCells.ts';
import { overloadRows } from './serving/overloadCells.ts';
import { Rig } from './serving/Rig.ts';
import { startSides } from './serving/startSides.ts';

const PARTS = {
  first: (rig: Rig) => firstRows(rig),
  closed: closedRows,
  knee: kneeRows,
  overload: overloadRows,
} as const;

function chosenParts(only: string | undefined): (keyof typeof PARTS)[] {
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[];
  const chosen = names.filter((name) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`--only must be one of ${names.join(', ')}; it is ${only}.`);
  return chosen;
}

export const bench: Bench = {
  name: 'serving',
  about:
    'POST /auth/ti-tick over loopback: all servers run at once and are measured round-robin, with the load from a separate process. The peers serve the same network with simpler features.',
  async run(only) {
    const parts = chosenParts(only);
    const rig = await Rig.open(readEffort());
    try {
      const { sides, rows } = await startSides(rig);
      for (const side of sides) await compareAnswers(side, rig.bodies.even);
      for (const side of sides) await rig.measure(side, 'even', { kind: 'closed', connections: 8, seconds: rig.effort.seconds });
      const measured: BenchRow[] = [];
      for (const part of parts) measured.push(...(await PARTS[part](rig, sides)));
      return [...rows, ...measured];
    } finally {
      rig.close();
    }
  },
};
