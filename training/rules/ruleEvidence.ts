import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { seededRandom, type Random } from '../../src/core/Random.ts';
import { evaluateInContext } from '../../src/engine/rules/evaluateRules.ts';
import { type RuleContext, ruleContext } from '../../src/engine/rules/Predicate.ts';
import type { Rule, RuleSet } from '../../src/engine/rules/RuleSet.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { type PlanBlock, type RowPlan, horizonMsOf, placeOfWindow, rowIndex, walkPlan } from '../data/RowPlan.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';

/** Inputs of the rules: the window, its randomly shifted levels, its ticks in reversed order. */
export const EVIDENCE_KINDS = ['real', 'shifted', 'reversed'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export type EvidenceRule = Extract<Rule, { kind: 'evidence' }>;

export type RuleEvidence = {
  readonly rules: readonly EvidenceRule[];
  /** Expected truth less the neutral one, [rows, rules]; 0 if a rule does not apply, NaN in rows that were not found. Default threshold. */
  readonly values: Readonly<Record<EvidenceKind, Float64Array>>;
  /** 1 if a veto or an abstention fired on the real window. */
  readonly forbidden: Uint8Array;
};

/** Shifted levels are up to this many expected moves away from the real ones. */
const SHIFT = 2;

export type EvidenceOptions = {
  /** Rows to evaluate; default all. */
  readonly use?: (row: number) => boolean;
  /** Index of the threshold; default 0, the default threshold. */
  readonly draw?: number;
  /** Default: all. */
  readonly kinds?: readonly EvidenceKind[];
};

/** Evidence of the rules of a set on the rows of a plan, and on both placebos. */
export function ruleEvidence(
  ruleSet: RuleSet,
  { sources, plan, rows }: { readonly sources: readonly TickSource[]; readonly plan: RowPlan; readonly rows: RowSet },
  seed: number,
  { use = () => true, draw = 0, kinds = EVIDENCE_KINDS }: EvidenceOptions = {},
): RuleEvidence {
  const rules = ruleSet.rules.filter((rule): rule is EvidenceRule => rule.kind === 'evidence');
  const places = rowIndex(rows);
  const random = seededRandom(seed);
  const builder = new FeatureBuilder();
  const column = (): Float64Array => new Float64Array(rows.count * rules.length).fill(NaN);
  const evidence: RuleEvidence = {
    rules,
    values: { real: column(), shifted: column(), reversed: column() },
    forbidden: new Uint8Array(rows.count),
  };
  for (const { block, series } of walkPlan(sources, plan))
    for (let window = 0; window < block.origin.length; window++) {
      const row = places.get(placeOfWindow(series, block, window));
      if (row === undefined || !use(row)) continue;
      const [head, theta] = [rows.head[row] as number, rows.theta[row * rows.draws + draw] as number];
      evaluateRow(ruleSet, evidence, { series, block, window, row, head, theta, kinds, builder, random });
    }
  return evidence;
}

type Window = {
  readonly series: TickSeries;
  readonly block: PlanBlock;
  readonly window: number;
  readonly row: number;
  readonly head: number;
  readonly theta: number;
  readonly kinds: readonly EvidenceKind[];
  readonly builder: FeatureBuilder;
  readonly random: Random;
};

function evaluateRow(
  ruleSet: RuleSet,
  { rules, values, forbidden }: RuleEvidence,
  { series, block, window, row, head, theta, kinds, builder, random }: Window,
): void {
  const [from, to] = [block.from[window] as number, (block.origin[window] as number) + 1];
  const horizonUs = horizonMsOf(block, window) * 1000;
  const contextOf = (ticks: TickSeries, first: number, last: number, asked?: number): RuleContext | undefined => {
    const futureUs = Math.floor((ticks.timesUs[last - 1] as number) / 1000) * 1000 + horizonUs;
    const measures = builder.read(ticks, first, last, futureUs);
    return typeof measures === 'string' ? undefined : ruleContext(measures, asked ?? measures.thetaDefault);
  };
  const write = (kind: EvidenceKind, context: RuleContext | undefined): void => {
    if (context === undefined) return;
    const { rules: traces, vetoedBy } = evaluateInContext(ruleSet, context, head);
    const truths = new Map(traces.map(({ id, truth }) => [id, truth]));
    for (const [at, { id, neutral }] of rules.entries()) {
      const [lower, upper] = truths.get(id) ?? [0, 1];
      values[kind][row * rules.length + at] = lower + (upper - lower) * neutral - neutral;
    }
    if (kind === 'real') forbidden[row] = vetoedBy.length > 0 ? 1 : 0;
  };
  // The context uses the arrays of the builder, so the rules run before the next window is read.
  const real = contextOf(series, from, to, theta);
  if (kinds.includes('real')) write('real', real);
  const by = SHIFT * (2 * random.uniform() - 1);
  if (kinds.includes('shifted') && real !== undefined) write('shifted', shifted(real, by * real.measures.sigmaHorizon));
  if (!kinds.includes('reversed')) return;
  const backwards = reversed(series, from, to);
  write('reversed', contextOf(backwards, 0, backwards.timesUs.length));
}

/** The same levels, all of them `by` higher: same number and touches, other prices. */
function shifted({ measures, theta, path, levels: own }: RuleContext, by: number): RuleContext {
  const levels = [...own.supports, ...own.resistances].map((level) => ({ ...level, logPrice: level.logPrice + by }));
  const byDistance = (a: { logPrice: number }, b: { logPrice: number }): number => Math.abs(a.logPrice) - Math.abs(b.logPrice);
  return {
    measures,
    theta,
    path,
    levels: {
      supports: levels.filter(({ logPrice }) => logPrice < 0).sort(byDistance),
      resistances: levels.filter(({ logPrice }) => logPrice >= 0).sort(byDistance),
    },
  };
}

/** The ticks of the window in reversed order: the same prices and gaps, the first one last. */
function reversed({ timesUs, prices }: TickSeries, from: number, to: number): TickSeries {
  const [first, last] = [timesUs[from] as number, timesUs[to - 1] as number];
  return {
    timesUs: Float64Array.from({ length: to - from }, (_, i) => first + last - (timesUs[to - 1 - i] as number)),
    prices: Float64Array.from({ length: to - from }, (_, i) => prices[to - 1 - i] as number),
  };
}
