import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/core/Random.ts';
import { clusterBootstrapAll, type Interval } from '../../src/engine/scoring/clusterBootstrap.ts';
import type { BenchReport } from '../Bench.ts';
import { reportText } from '../tables.ts';
import {
  cellsOf,
  chanceAbove,
  corrected,
  curveRanges,
  ewmaRanges,
  LEVELS,
  originsOf,
  pinball,
  type RangeOrigin,
  type Ranges,
  scaleRanges,
  STEP,
} from './rangeForms.ts';
import type { LogitOf } from './figures.ts';
import { fitLine, lineLogit } from './fitLine.ts';
import { inputRows } from './inputRows.ts';
import { readScoredRows } from './ScoredRows.ts';
import type { MemoryRows } from './trials.ts';

const USAGE = `Usage: node --import tsx bench/memory/ranges.ts LEFT-OUT.bin [MONTHS.bin]
Prints the tables of docs/benchmarks/range-forms.md in Markdown: coverage and pinball loss of three forms of a range, before and after the
correction by series, and the Brier score of the chance above a price. LEFT-OUT.bin comes from bench/memory/leftOut.ts, MONTHS.bin from
bench/memory/months.ts --curve.`;
const DAY_US = 86_400_000_000;
/** A series and horizon has a line of its own from this many outcomes. */
const LEAST_OUTCOMES = 300;
/** The 90 % range of a series holds its promise within this. */
const HELD = [0.88, 0.92] as const;
/** Inputs of the shipped line. */
const INPUTS = ['hour', 'day', 'cal', 'prof', 'prof_day', 'share_100', 'share_400'] as const;
const DRAWS = 100;
/** Distances of the prices of `above` from the last price, in units of theta*. */
const DISTANCES = [-2, -1, -0.5, 0.5, 1, 2] as const;

const FORMS = [
  ...(['curve', 'scale', 'EWMA'] as const),
  ...(['curve corrected', 'scale corrected', 'EWMA corrected'] as const),
  ...(['curve with memory', 'curve with memory corrected', 'scale with memory corrected'] as const),
] as const;
type Form = (typeof FORMS)[number];
const WITHOUT_CURVE: readonly Form[] = ['scale', 'EWMA', 'scale corrected', 'EWMA corrected', 'scale with memory corrected'];
const BY_HORIZON: readonly Form[] = ['curve', 'scale', 'curve corrected', 'EWMA corrected', 'curve with memory corrected'];
const STEPS = [STEP, 0.03, 0.02, 0.01] as const;
type Table = BenchReport['tables'][number];

const interval = ({ estimate, lower95, upper95 }: Interval, digits: number): string =>
  `${estimate.toFixed(digits)} (${lower95.toFixed(digits)} to ${upper95.toFixed(digits)})`;

/** `remembered`: the same origins with the memory's part of the log-odds. */
function formsOf(origins: readonly RangeOrigin[], remembered: readonly RangeOrigin[]): Record<Form, Ranges> {
  const still = { curve: curveRanges(origins), scale: scaleRanges(origins), EWMA: ewmaRanges(origins) };
  const ofMemory = curveRanges(remembered);
  return {
    'curve with memory': ofMemory,
    'curve with memory corrected': corrected(origins, ofMemory),
    'scale with memory corrected': corrected(origins, scaleRanges(remembered)),
    ...still,
    'curve corrected': corrected(origins, still.curve),
    'scale corrected': corrected(origins, still.scale),
    'EWMA corrected': corrected(origins, still.EWMA),
  };
}

/** Coverage and pinball loss of forms at the origins where each of them has a range; intervals over (series, day). */
function pooledLines(
  origins: readonly RangeOrigin[],
  forms: Record<Form, Ranges>,
  column: number,
  title: string,
  shown: readonly Form[] = FORMS,
): string[][] {
  const level = LEVELS[column]!;
  const members = [...origins.keys()].filter((at) => shown.every((form) => !Number.isNaN(forms[form][column]![at]!)));
  const days = Int32Array.from(members, (at) => Math.floor(origins[at]!.originUs / DAY_US) * 1000 + origins[at]!.series);
  const lossOf = (form: Form): Float64Array =>
    Float64Array.from(members, (at) => pinball(origins[at]!.size, forms[form][column]![at]!, level));
  const rival = lossOf('EWMA corrected');
  return shown.map((form) => {
    const held = Float64Array.from(members, (at) => (origins[at]!.size <= forms[form][column]![at]! ? 1 : 0));
    const loss = lossOf(form);
    const mean = (of: Float64Array, weights: Float64Array): number => {
      let [sum, total] = [0, 0];
      of.forEach((value, i) => {
        sum += weights[i]! * value;
        total += weights[i]!;
      });
      return sum / total;
    };
    const { coverage, ratio, pinballLoss } = clusterBootstrapAll(
      days,
      (weights) => ({
        coverage: mean(held, weights),
        pinballLoss: mean(loss, weights),
        ratio: 100 * (mean(loss, weights) / mean(rival, weights) - 1),
      }),
      { random: seededRandom(1), draws: DRAWS },
    );
    return [
      ...[title, `${level * 100} %`, form, String(members.length), interval(coverage, 3)],
      ...[pinballLoss.estimate.toFixed(4), interval(ratio, 1)],
    ];
  });
}

/** Log-odds with the memory of the series, by the line that was fitted on the other groups of `learned`. */
function memoryLogits(learned: MemoryRows, { rows, made }: MemoryRows): LogitOf {
  const groupsOf = (of: MemoryRows['rows']): string[] => of.series.map(({ group }) => group);
  const learnedGroups = groupsOf(learned.rows);
  const lines = new Map(
    [...new Set(groupsOf(rows))].map((group) => {
      const others = Int32Array.from(learned.rows.of.keys()).filter((row) => learnedGroups[learned.rows.of[row]!] !== group);
      return [group, fitLine(learned.rows, learned.made, others, INPUTS)] as const;
    }),
  );
  return (row) => lineLogit(lines.get(rows.series[rows.of[row]!]!.group)!, rows, made, row);
}

/** Coverage of the 90 % range by series and horizon. */
function cellLines(origins: readonly RangeOrigin[], names: readonly string[], forms: Record<Form, Ranges>): string[][] {
  const column = LEVELS.indexOf(0.9);
  const shown = ['curve', 'scale', 'curve corrected', 'scale corrected', 'curve with memory corrected'] as const;
  const cells = cellsOf(origins).map((cell) => cell.filter((at) => shown.every((form) => !Number.isNaN(forms[form][column]![at]!))));
  const large = cells.filter(({ length }) => length >= LEAST_OUTCOMES);
  const coverages = shown.map((form) =>
    large.map((cell) => cell.filter((at) => origins[at]!.size <= forms[form][column]![at]!).length / cell.length),
  );
  const lines = large.map((cell, i) => {
    const { series, horizonS } = origins[cell[0]!]!;
    return [`${names[series]} ${horizonS} s`, String(cell.length), ...coverages.map((of) => of[i]!.toFixed(3))];
  });
  const within = (of: readonly number[]): number => of.filter((value) => value >= HELD[0] && value <= HELD[1]).length;
  const summary = (name: string, figure: (of: readonly number[]) => string): string[] => [name, '', ...coverages.map(figure)];
  return [
    ...lines,
    summary('lowest and highest', (of) => `${Math.min(...of).toFixed(3)} to ${Math.max(...of).toFixed(3)}`),
    summary('mean distance from 0.9', (of) => (of.reduce((sum, value) => sum + Math.abs(value - 0.9), 0) / of.length).toFixed(4)),
    summary(`within ${HELD.join(' to ')}`, (of) => `${within(of)} of ${of.length}`),
  ];
}

/** The correction of the curve with memory by other steps. */
function stepLines(origins: readonly RangeOrigin[], ranges: Ranges): string[][] {
  const ewma = ewmaRanges(origins);
  return LEVELS.flatMap((level, column) => {
    const isKnown = (at: number): boolean => !Number.isNaN(ranges[column]![at]!);
    const members = [...origins.keys()].filter(isKnown);
    const lossOf = (of: Ranges): number =>
      members.reduce((sum, at) => sum + pinball(origins[at]!.size, of[column]![at]!, level), 0) / members.length;
    const cells = cellsOf(origins)
      .map((cell) => cell.filter(isKnown))
      .filter(({ length }) => length >= LEAST_OUTCOMES);
    return STEPS.map((step) => {
      const ofStep = corrected(origins, ranges, step);
      const coverages = cells.map((cell) => cell.filter((at) => origins[at]!.size <= ofStep[column]![at]!).length / cell.length);
      const loss = lossOf(ofStep);
      return [
        ...[`${level * 100} %`, String(step), `${Math.min(...coverages).toFixed(3)} to ${Math.max(...coverages).toFixed(3)}`],
        ...[loss / lossOf(ranges), loss / lossOf(corrected(origins, ewma, step))].map((ratio) => (100 * (ratio - 1)).toFixed(2)),
      ];
    });
  });
}

/** Brier score of the chance above prices around the last one. */
function aboveLines(origins: readonly RangeOrigin[], title: string): string[][] {
  const days = Int32Array.from(origins, ({ originUs, series }) => Math.floor(originUs / DAY_US) * 1000 + series);
  return DISTANCES.map((distance) => {
    const happened = origins.map(({ move }) => (move > distance ? 1 : 0));
    const curve = Float64Array.from(origins, (of, at) => (chanceAbove(of, distance) - happened[at]!) ** 2);
    const normal = Float64Array.from(origins, ({ ewma }, at) => (normalAbove(distance / ewma) - happened[at]!) ** 2);
    const mean = (of: Float64Array, weights: Float64Array): number => of.reduce((sum, value, i) => sum + weights[i]! * value, 0);
    const { skill } = clusterBootstrapAll(days, (weights) => ({ skill: 1 - mean(curve, weights) / mean(normal, weights) }), {
      random: seededRandom(2),
      draws: DRAWS,
    });
    const score = (of: Float64Array): string => (of.reduce((sum, value) => sum + value, 0) / of.length).toFixed(4);
    return [title, `${distance} θ*`, String(origins.length), score(curve), score(normal), interval(skill, 4)];
  });
}

/** 1 - N(z). Source: Abramowitz and Stegun 1964, 26.2.17; error below 1e-7. */
function normalAbove(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return z > 0 ? tail : 1 - tail;
}

async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true });
  if (positionals.length === 0) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const files: { file: string; scored: MemoryRows }[] = [];
  for (const file of positionals) {
    const rows = readScoredRows(file);
    files.push({ file, scored: { rows, made: await inputRows(rows) } });
  }
  const learned = files[0]!.scored;
  const tables = files.flatMap(({ file, scored }): Table[] => {
    const { rows } = scored;
    const origins = originsOf(rows, (row) => rows.base[row]!);
    const forms = formsOf(origins, originsOf(rows, memoryLogits(learned, scored)));
    const title = path.basename(file, '.bin');
    const names = rows.series.map(({ name }) => name);
    const horizons = [...new Set(origins.map(({ horizonS }) => horizonS))].sort((a, b) => a - b);
    const lines = LEVELS.flatMap((_, column) => [
      ...pooledLines(origins, forms, column, 'all'),
      ...pooledLines(origins, forms, column, 'all, without a curve range too', WITHOUT_CURVE),
    ]);
    const byHorizon = horizons.flatMap((horizonS) => {
      const kept = [...origins.keys()].filter((at) => origins[at]!.horizonS === horizonS);
      const part = { ...forms };
      for (const form of FORMS) part[form] = forms[form].map((of) => Float64Array.from(kept, (at) => of[at]!));
      return pooledLines(
        kept.map((at) => origins[at]!),
        part,
        LEVELS.indexOf(0.9),
        `${horizonS} s`,
        BY_HORIZON,
      );
    });
    const untrained = LEVELS.map((level, column) => {
      const count = forms.curve[column]!.filter(Number.isNaN).length;
      return `${level * 100} %: ${((100 * count) / origins.length).toFixed(2)} %`;
    });
    return [
      {
        title: `${title}: ranges (without one because the curve ends: ${untrained.join(', ')})`,
        head: ['horizon', 'level', 'form', 'outcomes', 'coverage', 'pinball loss, θ*', 'loss against EWMA corrected, %'],
        lines: [...lines, ...byHorizon],
      },
      {
        title: `${title}: coverage of 90 % ranges by series and horizon`,
        head: ['series', 'outcomes', 'curve', 'scale', 'curve corrected', 'scale corrected', 'curve with memory corrected'],
        lines: cellLines(origins, names, forms),
      },
      {
        title: `${title}: step of the correction, curve with memory`,
        head: ['level', 'step', 'coverage by series and horizon', 'loss against uncorrected, %', 'loss against EWMA corrected, %'],
        lines: stepLines(origins, forms['curve with memory']),
      },
      {
        title: `${title}: chance above a price`,
        head: ['horizon', 'price less last price', 'outcomes', 'Brier, curve', 'Brier, N(d)', 'skill'],
        lines: [
          ...aboveLines(origins, 'all'),
          ...horizons.flatMap((horizonS) =>
            aboveLines(
              origins.filter((one) => one.horizonS === horizonS),
              `${horizonS} s`,
            ),
          ),
        ],
      },
    ];
  });
  const about = [
    'curve: where P(|move| > θ) of the network crosses 1 - level. scale: c·θ*·exp(k·log-odds), c and k by least pinball loss on the other groups.',
    'EWMA: c·σ(600)·√H, c by the other groups. corrected: times exp(l) of the series, horizon and level, l += 0.05·(missed - (1 - level)) when due.',
    "with memory: the log-odds have the memory's part, by a line that was fitted on the other groups of the first file.",
    'Forms are compared where each of them has a range. Intervals: 95 %, over series and day.',
  ];
  process.stdout.write(`${reportText({ about, tables }, true)}\n`);
  return 0;
}

process.exitCode = await main();
