import type { WindowMeasures } from '../../src/engine/features/WindowMeasures.ts';
import { ruleContext } from '../../src/engine/rules/Predicate.ts';
import { PREDICATES } from '../../src/engine/rules/predicates.ts';
import { featuresOf } from './buildFeatures.ts';
import { makeMeasures } from './makeMeasures.ts';
import { walkTicks } from './walkTicks.ts';

/** Nine digits; rounding errors of sums are 0. */
const digits = (value: number): number => (Math.abs(value) < 1e-12 ? 0 : Number(value.toPrecision(9)));
const path = (count: number, priceAt: (i: number) => number): number[] => Array.from({ length: count }, (_, i) => priceAt(i));

/** Ticks with these times, in seconds before the last one, ascending. */
const timed = (seconds: readonly number[], priceAt: (i: number) => number, changes: Partial<WindowMeasures> = {}): WindowMeasures => {
  const timesS = Float64Array.from(seconds, (s) => s - seconds.at(-1)!);
  return makeMeasures(path(seconds.length, priceAt), { timesS, windowS: -timesS[0], ...changes });
};

/** A walk of the lattice as the features see it. */
const walk = (seed: number, count: number, horizonMs: number, maxSteps = 3): WindowMeasures =>
  featuresOf(walkTicks({ seed, count, maxSteps, equalTimestampFraction: 0 }), horizonMs).measures;

const STEADY = (i: number): number => 1e-5 * i;
const WAVE = (i: number): number => 3e-4 * Math.sin(i / 9) + 1e-6 * i;

/** Windows of known shape, and walks; with theta in log price. */
const WINDOWS: readonly (readonly [name: string, measures: WindowMeasures, theta: number])[] = [
  ...[2, 3, 4, 8, 19, 20, 21, 22, 40].map((count) => [`${count} rises`, makeMeasures(path(count, STEADY)), 4e-4] as const),
  ...[20, 21, 40, 41].map((count) => [`${count} in turns`, makeMeasures(path(count, (i) => (i % 2) * 1e-4)), 4e-4] as const),
  ['fall', makeMeasures(path(200, (i) => -2e-5 * i)), 1e-3],
  [
    'in turns, cost',
    makeMeasures(
      path(201, (i) => (i % 2) * 1e-4 + 1e-6 * i),
      { cost: 1e-4 },
    ),
    2e-4,
  ],
  ['wave', makeMeasures(path(300, WAVE)), 4e-4],
  ['wave, cost', makeMeasures(path(300, WAVE), { cost: 5e-5 }), 4e-4],
  ['wave, long horizon', makeMeasures(path(300, WAVE), { horizonS: 400, sigmaHorizon: 2e-3, quantileMove: 2e-3 }), 2e-3],
  ['wave, short horizon', makeMeasures(path(300, WAVE), { horizonS: 2, sigmaHorizon: 1.5e-4, quantileMove: 1.5e-4, cost: 2e-5 }), 1e-4],
  ['wave, getting faster', makeMeasures(path(300, WAVE), { sigmas: [3e-4, 2e-4, 1e-4, 0.8e-4] }), 4e-4],
  ['wave, getting slower', makeMeasures(path(300, WAVE), { sigmas: [0.4e-4, 0.7e-4, 1e-4, 1.3e-4] }), 4e-4],
  ['bend', makeMeasures(path(200, (i) => 6e-5 * Math.max(0, i - 174))), 4e-4],
  ['jump up', makeMeasures(path(200, (i) => (i < 180 ? WAVE(i) : 3e-3 + WAVE(i)))), 4e-4],
  [
    'jump down',
    makeMeasures(
      path(200, (i) => (i < 190 ? WAVE(i) : -3e-3 + WAVE(i))),
      { cost: 3e-5 },
    ),
    4e-4,
  ],
  ['stairs', makeMeasures(path(240, (i) => 1e-4 * Math.floor(i / 17) - 2e-4 * Math.floor(i / 50))), 4e-4],
  ['still at the end', makeMeasures(path(240, (i) => WAVE(Math.min(i, 150)))), 4e-4],
  ['outlier', makeMeasures(path(200, (i) => WAVE(i) + (i === 120 ? 2e-3 : 0))), 4e-4],
  [
    'outlier at the end',
    makeMeasures(
      path(200, (i) => WAVE(i) - (i === 199 ? 2e-3 : 0)),
      { medianGapS: 0.25 },
    ),
    4e-4,
  ],
  [
    'two levels',
    makeMeasures(
      path(300, (i) => 2e-3 * Math.abs(((i % 60) - 30) / 30) + 1e-5 * Math.floor(i / 60)),
      { cost: 1e-5 },
    ),
    4e-4,
  ],
  [
    'a burst',
    timed(
      path(200, (i) => (i < 120 ? 2 * i : 240 + 0.1 * (i - 120))),
      WAVE,
      { medianGapS: 2 },
    ),
    4e-4,
  ],
  [
    'a pause',
    timed(
      path(200, (i) => (i < 150 ? 0.5 * i : 300 + 0.5 * i)),
      WAVE,
      { medianGapS: 0.5, cost: 1e-5 },
    ),
    4e-4,
  ],
  ['after a gap', makeMeasures(path(120, WAVE), { ticks: 300, ticksBeforeGap: 170 }), 4e-4],
  ['same timestamps', makeMeasures(path(120, WAVE), { ticks: 200 }), 8e-4],
  ['round number', makeMeasures(path(120, WAVE), { lastPrice: 1.1002, cost: 4e-5 }), 4e-4],
  ...[1, 2, 3, 4].map((seed) => [`walk ${seed}`, walk(seed, [60, 200, 500, 1200][seed - 1], [3000, 20_000, 60_000, 600_000][seed - 1]), 1e-4 * seed] as const), // prettier-ignore
  ['walk in large steps', walk(5, 300, 30_000, 12), 5e-4],
];

/** What each predicate gives for each window: lower and upper truth, value and further numbers; `null` if it is unknown. */
export function goldenPredicates() {
  const resultsOf = (evaluate: (typeof PREDICATES)[number]['evaluate']): Record<string, string | null> =>
    Object.fromEntries(
      WINDOWS.map(([name, measures, theta]) => {
        const { lower, upper, value, numbers = {} } = evaluate(ruleContext(measures, theta));
        if (value === null) return [name, null];
        const texts = [lower, upper, value].map((number) => `${digits(number)}`);
        for (const [key, number] of Object.entries(numbers)) texts.push(`${key} ${digits(number)}`);
        return [name, texts.join(' ')];
      }),
    );
  return {
    madeBy: 'test/golden/makePredicates.ts',
    windows: 'WINDOWS of test/support/goldenPredicates.ts',
    predicates: Object.fromEntries(PREDICATES.map((predicate) => [predicate.name, resultsOf((context) => predicate.evaluate(context))])),
  };
}
