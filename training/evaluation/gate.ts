import { MIN_CLUSTERS } from '../../src/engine/scoring/clusterBootstrap.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { signedText as signed } from '../../src/engine/scoring/conclusions.ts';
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
  readonly ewma: PairedComparison;
  readonly served: PairedComparison | null;
  readonly leak: LeakResult;
  readonly placebos: readonly Placebo[];
  /** Number of test origins, and how many of them are in the training data of either version (these do not count). */
  readonly origins: number;
  readonly seen: number;
  /** Evaluated heads or horizons, for the advice. */
  readonly what: string;
};

type GateCheck = { readonly holds: boolean; readonly text: string };

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
const LEAST_BRIER_SKILL = -0.003;
const MOST_ECE_ABOVE_PERFECT = 0.025;

/**
 * Decides whether a candidate may be served (docs/explanation/evaluation.md, "The promotion gate"). Against the EWMA logistic and the
 * version that it replaces, on origins that neither was trained on: the lower 90 % bounds of the pooled and the cell AUC difference are
 * above −0.002, Brier skill is at least −0.003, the probabilities are calibrated, AUC or Brier score is better, all placebos hold and no
 * input uses ticks after its origin. Pure.
 */
export function decideGate(input: GateInput): GateDecision {
  const { ewma, served, leak, placebos, against } = input;
  const version = against ?? 'the served version';
  const rivals = [{ name: 'the EWMA baseline', comparison: ewma }, ...(served === null ? [] : [{ name: version, comparison: served }])];
  const clusters = Math.min(...rivals.map(({ comparison }) => comparison.clusters));
  const tooLittle = !(clusters >= MIN_CLUSTERS);
  const checks: GateCheck[] = [
    {
      holds: !tooLittle,
      text: `${clusters} clusters of (instrument, hour) that neither version was trained on; at least ${MIN_CLUSTERS} are required.`,
    },
    ...(tooLittle ? [] : rivals.flatMap(rivalChecks)),
    ...(tooLittle ? [] : [calibrationCheck(ewma)]),
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

function rivalChecks({ name, comparison: { intervals, cells, isUnderpowered } }: RivalOfGate): GateCheck[] {
  const { aucDifference, cellAucDifference, brierSkill } = intervals;
  const [auc, brier] = [aucDifference.estimate, brierSkill.estimate];
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
      holds: brier >= LEAST_BRIER_SKILL,
      text: `Brier skill against ${name}: ${signed(brier, 4)}; at least ${signed(LEAST_BRIER_SKILL, 3)} is required.`,
    },
    {
      holds: auc > 0 || brier > 0,
      text: `Better than ${name} in AUC or Brier score: ${signed(auc, 4)} and ${signed(brier, 4)}.`,
    },
  ];
}

function calibrationCheck({ ece, expectedEce }: PairedComparison): GateCheck {
  return {
    holds: ece.model <= expectedEce + MOST_ECE_ABOVE_PERFECT,
    text: `Calibration error ${ece.model.toFixed(4)}; a perfect model has ${expectedEce.toFixed(4)} on as many origins, and at most ${MOST_ECE_ABOVE_PERFECT} more is allowed.`,
  };
}

function headlineOf({ id, against, origins, seen }: GateInput, passed: boolean, tooLittle: boolean): string {
  const kept = against === null ? 'nothing was replaced' : `kept ${against}`;
  if (passed) return `${id} is better than ${against ?? 'the EWMA baseline'} on ${origins - seen} origins that it never saw.`;
  if (tooLittle) return `Too little data to tell whether ${id} is better: ${kept}.`;
  return `Not better, ${kept}.`;
}

function adviceFor({ ewma, against, origins, seen, what }: GateInput, tooLittle: boolean, checks: readonly GateCheck[]): string[] {
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
