import { MIN_CLUSTERS } from '../../src/engine/scoring/clusterBootstrap.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { type Rival, RIVAL_NAMES, signedText as signed, strongestOf } from '../../src/engine/scoring/conclusions.ts';
import { MIN_PRECISION_RATIO } from '../metrics/decision.ts';
import type { MarkFigures } from './scoreTables.ts';
import type { LeakResult } from './leakTest.ts';

export type Placebo = {
  readonly name: string;
  readonly holds: boolean;
  /** The finding with its figures. */
  readonly text: string;
};

export type GateInput = {
  readonly id: string;
  /** Id of the version that would be replaced; null for the EWMA logistic only. */
  readonly against: string | null;
  /** As served: with the memory of the series. */
  readonly baselines: Readonly<Record<Rival, PairedComparison>>;
  readonly served: PairedComparison | null;
  /** The marks of the candidate as served; null: cuts could not be chosen on other rows. */
  readonly marks: MarkFigures | null;
  readonly leak: LeakResult;
  readonly placebos: readonly Placebo[];
  /** Number of test origins, and how many of them are in the training data of either version (these do not count). */
  readonly origins: number;
  readonly seen: number;
  /** Evaluated heads or horizons, for the advice. */
  readonly what: string;
};

type GateCheck = { readonly holds: boolean; readonly text: string };

/** A conclusion on fewer marks would be one by chance. */
const LEAST_MARKS = 50;

export type GateDecision = {
  readonly passed: boolean;
  /** True if too few clusters are left that neither version has seen: no decision is possible. */
  readonly tooLittle: boolean;
  readonly headline: string;
  /** Failed ones first. */
  readonly checks: readonly GateCheck[];
  readonly advice: readonly string[];
};

/** Limits of docs/explanation/evaluation.md, "The promotion gate". */
const LEAST_AUC_DIFFERENCE = -0.002;
const MOST_ECE_ABOVE_PERFECT = 0.025;

/**
 * Decides whether a candidate may be served (docs/explanation/evaluation.md, "The promotion gate"). All figures are those of versions as they
 * are served, with the memory of the series, on origins that neither was trained on: better than both baselines that learn and than the
 * version that it replaces, calibrated, and with marks as precise as those that chose its cuts. All placebos hold, and no input uses ticks
 * after its origin. Pure.
 */
export function decideGate(input: GateInput): GateDecision {
  const { baselines, served, leak, placebos, against, marks } = input;
  const version = against ?? 'the served version';
  const rival = strongestOf(baselines, ({ intervals }) => intervals.brierSkill.estimate)!;
  const rivals = [
    { name: RIVAL_NAMES[rival], comparison: baselines[rival] },
    ...(served === null ? [] : [{ name: version, comparison: served }]),
  ];
  const clusters = Math.min(...rivals.map(({ comparison }) => comparison.clusters));
  const tooLittle = !(clusters >= MIN_CLUSTERS);
  const checks: GateCheck[] = [
    {
      holds: !tooLittle,
      text: `${clusters} clusters of (instrument, hour) that neither version was trained on; at least ${MIN_CLUSTERS} are required.`,
    },
    ...(tooLittle ? [] : rivals.flatMap(rivalChecks)),
    ...(tooLittle ? [] : [calibrationCheck(baselines.baseline), ...markChecks(marks)]),
    {
      holds: leak.checked > 0 && leak.leaking.length === 0,
      text:
        leak.leaking.length === 0
          ? `Inputs recomputed without anything after their origin: ${leak.checked} windows, no bit differs.`
          : `These inputs depend on ticks after their origin: ${leak.leaking.join(', ')}.`,
    },
    ...placebos.map(({ name, holds, text }) => ({ holds, text: `${name}: ${text}` })),
  ];
  const passed = checks.every(({ holds }) => holds);
  return {
    passed,
    tooLittle,
    headline: headlineOf(input, passed, tooLittle),
    checks: [...checks.filter(({ holds }) => !holds), ...checks.filter(({ holds }) => holds)],
    advice: passed ? [] : adviceFor(input, tooLittle, checks),
  };
}

type RivalOfGate = { readonly name: string; readonly comparison: PairedComparison };

function rivalChecks({ name, comparison: { intervals, dayIntervals, cells, isUnderpowered } }: RivalOfGate): GateCheck[] {
  const { aucDifference, cellAucDifference, brierSkill } = intervals;
  const auc = aucDifference.estimate;
  // Hours of one day depend on each other too.
  const skill = Math.min(brierSkill.lower90OneSided, dayIntervals?.brierSkill.lower90OneSided ?? Infinity);
  const wide = isUnderpowered ? ' (underpowered: the interval is wide)' : '';
  const bound = signed(LEAST_AUC_DIFFERENCE, 3);
  return [
    {
      holds: aucDifference.lower90OneSided > LEAST_AUC_DIFFERENCE,
      text: `AUC over all origins against ${name}: ${signed(auc, 4)}, lower 90 % bound ${signed(aucDifference.lower90OneSided, 4)}; it must be above ${bound}${wide}.`,
    },
    // Without a counted cell there is only the pooled AUC, which is checked above.
    ...(cells.length === 0
      ? []
      : [
          {
            holds: cellAucDifference.lower90OneSided > LEAST_AUC_DIFFERENCE,
            text: `AUC, mean of ${cells.length} cells, against ${name}: ${signed(cellAucDifference.estimate, 4)}, lower 90 % bound ${signed(cellAucDifference.lower90OneSided, 4)}; it must be above ${bound}.`,
          },
        ]),
    {
      holds: skill > 0,
      text: `Brier skill against ${name}: ${signed(brierSkill.estimate, 4)}, lower 90 % bound ${signed(skill, 4)}; it must be above 0${wide}.`,
    },
  ];
}

function calibrationCheck({ ece, expectedEce }: PairedComparison): GateCheck {
  return {
    holds: ece.model <= expectedEce + MOST_ECE_ABOVE_PERFECT,
    text: `Calibration error ${ece.model.toFixed(4)}; a perfect model has ${expectedEce.toFixed(4)} on as many origins, and at most ${MOST_ECE_ABOVE_PERFECT} more is allowed.`,
  };
}

/** A cut whose marks are less precise than those that chose it makes a bot enter more often for less. */
function markChecks(marks: MarkFigures | null): GateCheck[] {
  if (marks === null || marks.marks < LEAST_MARKS) return [];
  const { precision, overOwnRates, windows } = marks;
  return [
    {
      holds: overOwnRates >= MIN_PRECISION_RATIO,
      text: `Marks: ${((100 * marks.marks) / windows).toFixed(1)} % of the windows, precision ${precision.toFixed(3)}, ${overOwnRates.toFixed(2)} times the base rates of their instruments; the cuts were chosen for ${MIN_PRECISION_RATIO}.`,
    },
  ];
}

function headlineOf({ id, against, origins, seen }: GateInput, passed: boolean, tooLittle: boolean): string {
  const kept = against === null ? 'nothing was replaced' : `kept ${against}`;
  if (passed) return `${id} is better than ${against ?? 'the baselines'} as served, on ${origins - seen} origins that it never saw.`;
  if (tooLittle) return `Too little data to tell whether ${id} is better: ${kept}.`;
  return `Not better, ${kept}.`;
}

function adviceFor(
  { baselines: { baseline: ewma }, against, origins, seen, what }: GateInput,
  tooLittle: boolean,
  checks: readonly GateCheck[],
): string[] {
  const advice: string[] = [];
  if (seen > 0)
    advice.push(
      `${seen} of ${origins} test origins are in ticks that ${against ?? 'this version'} was trained on and do not count. Add later days or other instruments.`,
    );
  if (ewma.n > 0 && (tooLittle || ewma.isUnderpowered)) {
    const more = Math.max(2, Math.ceil((2 * MIN_CLUSTERS) / Math.max(1, ewma.clusters)));
    advice.push(`Add days: about ${more} times as many hours of ticks after the cut are needed for a decision.`);
  }
  if (!tooLittle) {
    advice.push('Add other instruments: series that do not move together help more than further days of the same series.');
    advice.push(`Try another horizon: most of the gain over volatility was found at 5 to 60 s; this run was ${what}.`);
  }
  if (checks.some(({ holds, text }) => !holds && text.startsWith('Calibration')))
    advice.push(
      'The probabilities are not calibrated: the later days differ from the earlier ones (see the drift of inputs in the report).',
    );
  return advice;
}
