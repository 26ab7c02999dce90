import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { packageRoot } from '../../src/core/packageRoot.ts';
import type { BenchOptions, BenchReport } from '../Bench.ts';
import { machineLine } from '../tables.ts';
import { ask } from './ask.ts';
import { closedCells } from './closedCells.ts';
import { compareAnswers } from './compareAnswers.ts';
import { readEffort, type Effort } from './effort.ts';
import { searchKnees } from './findKnees.ts';
import { killCells } from './killCells.ts';
import { cellOf, loopDelayMs, measureCells, OPEN_LOOP_FRACTION } from './kneeCells.ts';
import { jointBytes, readTree, readTreeMemory } from './procStat.ts';
import { median } from './quantile.ts';
import { Rig } from './Rig.ts';
import { isMissing, type Side } from './Side.ts';
import { PEERS, startPeer } from './startPeer.ts';
import { startTickmark } from './startTickmark.ts';
import { chosenLetters, nameOf, PEER_LETTER, TOPOLOGIES, type Topology } from './topologies.ts';
import { topologyTables, type MeasuredSide, type Memory, type OpenFigures } from './topologyTables.ts';

const CONNECTIONS = [1, 2, 8, 32, 128] as const;
const DEFAULTS = { SERVING_ROUNDS: '3', SERVING_SECONDS: '1', SERVING_TRIES: '2' };
const QUICK: Effort = { rounds: 1, seconds: 0.5, tries: 1 };

/** Prints progress to standard error: the tables take minutes. */
const say = (line: string): boolean => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

/** Compares topologies of the service: start and `kill -9` of each one separately, then all of them at once, measured round-robin. */
export async function topologyReport({ sides: wanted, rounds, quick }: BenchOptions): Promise<BenchReport> {
  const letters = chosenLetters(wanted);
  const chosen = TOPOLOGIES.filter(({ letter }) => letters.includes(letter));
  const env = { ...DEFAULTS, ...process.env, ...(rounds === undefined ? {} : { SERVING_ROUNDS: rounds }) };
  if (chosen.length === 0) throw new Error('--sides names no topology.');
  const backend = process.env['RUNTIME_BACKEND'] ?? 'auto';
  // Build first, so that no timed start builds.
  execFileSync(process.execPath, [path.join(packageRoot(), 'bin', 'build.js')]);
  const rig = await Rig.open(quick === true ? QUICK : readEffort(env));
  try {
    say('start and kill -9 of each topology');
    const killed = await killCells(rig, chosen, backend, Math.ceil(rig.effort.rounds / 2));
    say('all servers are running');
    const { sides, model } = await startAll(rig, chosen, backend);
    if (letters.includes(PEER_LETTER)) {
      const peer = await startPeer(PEERS[0]!, rig.writeModel(model.model));
      if (isMissing(peer)) say(`skipped: ${peer.name}: ${peer.missing}`);
      else sides.push(rig.add(peer));
    }
    const atStart = sides.map(memoryOf);
    for (const side of sides) await compareAnswers(side, rig.bodies.even);
    say(`closed loops of ${CONNECTIONS.join(', ')} connections`);
    const closed = await closedCells(rig, sides, CONNECTIONS);
    say('knees');
    const open = await openCells(rig, sides);
    const measured = sides.map((side, i): MeasuredSide => {
      const { name, runtime } = side;
      const cells = closed.filter((cell) => cell.side === side);
      return { name, isPeer: runtime !== undefined, closed: cells, ...open[i]!, atStart: atStart[i]!, atEnd: memoryOf(side) };
    });
    return {
      about: [`## Topologies on ${model.backend}`, '', ranWith(rig)],
      tables: topologyTables(measured, killed),
    };
  } finally {
    rig.close();
  }
}

type Ready = { readonly model: string; readonly backend: string };

async function startAll(rig: Rig, chosen: readonly Topology[], backend: string): Promise<{ sides: Side[]; model: Ready }> {
  const sides: Side[] = [];
  for (const topology of chosen) {
    const dataDir = path.join(rig.folder, topology.letter);
    const side = await startTickmark({ backend, dataDir, metrics: true, env: topology.env });
    sides.push(rig.add({ ...side, name: nameOf(topology) }));
  }
  return { sides, model: JSON.parse((await ask(sides[0]!.port, { path: '/health/ready' })).text) as Ready };
}

function memoryOf({ process: { pid } }: Side): Memory {
  const processes = readTreeMemory(pid!);
  return {
    processes: processes.length,
    bytes: jointBytes(processes),
    rssBytes: readTree(pid!).reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  };
}

/** Knee, latency at 80 % of it and event-loop delay at it, in the order of the sides. A side without a knee does not end the run. */
async function openCells(rig: Rig, sides: readonly Side[]): Promise<OpenFigures[]> {
  const knees = await searchKnees(rig, sides, 'even');
  const cells = knees.map(({ side, rate }) => cellOf(side, OPEN_LOOP_FRACTION * rate));
  await measureCells(
    rig,
    cells.filter(({ rate }) => rate > 0),
  );
  const open: OpenFigures[] = [];
  for (const [i, knee] of knees.entries()) {
    const { p50, p99 } = cells[i]!;
    open.push({
      knee: knee.rate,
      p50: median(p50),
      p99: median(p99),
      loopDelayMs: knee.rate > 0 ? await loopDelayMs(rig, knee) : undefined,
    });
  }
  return open;
}

function ranWith({ effort: { rounds, seconds }, bodies }: Rig): string {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: packageRoot(), encoding: 'utf8' }).trim();
  const commit = `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${machineLine()}, commit ${commit}; medians of ${rounds} rounds of ${seconds} s, ${bodies.about}.`;
}
