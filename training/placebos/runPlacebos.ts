import type { ModelFolder } from '../../src/model/modelFiles.ts';
import type { RowPlan } from '../data/RowPlan.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { leakTest } from '../evaluation/leakTest.ts';
import { bouncePlacebos } from './bouncePlacebos.ts';
import { dealtPlacebo } from './dealtPlacebo.ts';
import { invariancePlacebos } from './invariancePlacebos.ts';
import { levelPlacebo } from './levelPlacebo.ts';
import { plantedPlacebo } from './plantedPlacebo.ts';

export type PlaceboInput = {
  readonly model: ModelFolder;
  readonly sources: readonly TickSource[];
  readonly plan: RowPlan;
  readonly rows: RowSet;
  readonly seed: number;
};

/**
 * All placebos of docs/evaluation.md, "Placebos": permuted outcomes, random walks with and without bounce, inputs without anything after
 * their origin, prices in other units and shifted clocks, a planted signal of known strength, shifted levels next to real ones.
 */
export function runPlacebos(input: PlaceboInput): Placebo[] {
  const { sources, plan, rows } = input;
  const { checked, leaking } = leakTest(sources, plan, rows);
  return [
    dealtPlacebo(input),
    ...bouncePlacebos(input),
    {
      name: 'Inputs without anything after their origin',
      holds: checked > 0 && leaking.length === 0,
      text: leaking.length === 0 ? `no bit differs in ${checked} windows.` : `these differ: ${leaking.join(', ')}.`,
    },
    ...invariancePlacebos(input),
    plantedPlacebo(input),
    levelPlacebo(input),
  ];
}
