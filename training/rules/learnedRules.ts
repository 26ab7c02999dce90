import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import { type Rule, type RuleSet, ruleSetJson } from '../../src/engine/rules/RuleSet.ts';
import type { OutOfFold } from '../evaluation/outOfFold.ts';
import { ruleEvidence, type EvidenceRule, type RuleEvidence } from './ruleEvidence.ts';
import type { HeadWorth } from './ruleWorth.ts';

/**
 * The rule set with the learned weights, as the `rules.json` of a version. A trained head has the learned weights if the rules improve it,
 * else 0; other heads keep their weights. Undefined if every weight is 0: then the version has no rule set.
 */
export function learnedRules(
  ruleSet: RuleSet,
  worth: readonly HeadWorth[],
  trained: readonly number[],
  versionId: string,
): string | undefined {
  const rules = ruleSet.rules.map((rule): Rule =>
    rule.kind === 'evidence' ? { ...rule, weights: weightsOf(rule, worth, trained) } : rule,
  );
  if (!rules.some((rule) => rule.kind === 'evidence' && rule.weights.some((weight) => weight !== 0))) return undefined;
  const id = `${versionId.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 50)}-rules`.replaceAll(/-+/g, '-');
  const better = worth.filter((head) => head.better).map(({ head }) => BUCKET_NAMES[head]);
  const about = `${ruleSet.id} with weights learned on top of ${versionId}${better.length === 0 ? '' : ` for ${better.join(', ')}`}.`;
  return `${JSON.stringify(ruleSetJson({ id, version: ruleSet.version, about, rules }), null, 2)}\n`;
}

function weightsOf(rule: EvidenceRule, worth: readonly HeadWorth[], trained: readonly number[]): number[] {
  return BUCKET_NAMES.map((_, head) => {
    if (!trained.includes(head)) return rule.weights[head] ?? 0;
    return worth.find((of) => of.head === head && of.better)?.weights.find(({ id }) => id === rule.id)?.weight ?? 0;
  });
}

/**
 * Predictions with the learned evidence added to their logits in the heads that the rules improve: decision thresholds are fitted after the
 * rules. `evidence` has one entry per threshold (draw) of the rows.
 */
export function withRules(out: OutOfFold, worth: readonly HeadWorth[], evidence: readonly RuleEvidence[]): OutOfFold {
  const byHead = new Map(worth.filter((head) => head.better).map((head) => [head.head, head.weights.map(({ weight }) => weight)]));
  if (byHead.size === 0) return out;
  return {
    ...out,
    logit: out.logit.map((logit, at) => {
      const weights = byHead.get(out.head[at] as number);
      const of = evidence[out.draw[at] as number];
      if (weights === undefined || of === undefined) return logit;
      const row = out.row[at] as number;
      const added = weights.reduce((sum, weight, rule) => sum + weight * (of.values.real[row * weights.length + rule] as number), 0);
      return Number.isFinite(added) ? logit + added : logit;
    }),
  };
}

/** Evidence at every threshold of the rows, in the order of their draws; empty if the rules improve no head. */
export function evidenceOfDraws(
  { ruleSet, seed }: { readonly ruleSet: RuleSet; readonly seed: number },
  from: Parameters<typeof ruleEvidence>[1],
  worth: readonly HeadWorth[],
  use: (row: number) => boolean = () => true,
): RuleEvidence[] {
  const heads = new Set(worth.filter(({ better }) => better).map(({ head }) => head));
  if (heads.size === 0) return [];
  const isAsked = (row: number): boolean => heads.has(from.rows.head[row] as number) && use(row);
  return Array.from({ length: from.rows.draws }, (_, draw) => ruleEvidence(ruleSet, from, seed, { use: isAsked, draw, kinds: ['real'] }));
}
