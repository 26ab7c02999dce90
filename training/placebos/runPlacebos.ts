import type { Placebo } from '../evaluation/gate.ts';
import { leakTest } from '../evaluation/leakTest.ts';
import { bouncePlacebos } from './bouncePlacebos.ts';
import { permutedOutcomesPlacebo, type PlaceboInput } from './scoreRows.ts';
import { invariancePlacebos } from './invariancePlacebos.ts';
import { levelPlacebo } from './levelPlacebo.ts';
import { plantedPlacebo } from './plantedPlacebo.ts';

/**
 * All placebos of docs/explanation/evaluation.md, "Placebos": permuted outcomes, random walks with and without bounce, inputs without
 * anything after their origin, prices in other units and shifted clocks, a planted signal of known strength, shifted levels next to real
 * ones.
 */
export function runPlacebos(input: PlaceboInput): Placebo[] {
  const { sources, plan, rows } = input;
  const { checked, leaking } = leakTest(sources, plan, rows);
  return [
    permutedOutcomesPlacebo(input),
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
