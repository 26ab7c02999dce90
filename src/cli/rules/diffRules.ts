import { describeRuleSet } from '../../app/rulesDirectory.ts';
import type { RuleSetAnswer } from '../../contract/rules.ts';
import { loadRuleSet } from '../../rules/loadRuleSet.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

type RuleAnswer = RuleSetAnswer['rules'][number];
type Change = { readonly rule: string; readonly field: string; readonly from: unknown; readonly to: unknown };

/** Throws what `loadRuleSet` throws. */
export async function diffRules({ out }: CliContext, a: string, b: string, { json }: GlobalOptions): Promise<void> {
  const [from, to] = [describeRuleSet(await loadRuleSet(a)), describeRuleSet(await loadRuleSet(b))];
  const [before, after] = [byId(from), byId(to)];
  const added = [...after.keys()].filter((id) => !before.has(id));
  const removed = [...before.keys()].filter((id) => !after.has(id));
  const changed = [...before.values()].flatMap((rule) => {
    const other = after.get(rule.id);
    return other === undefined ? [] : changesOf(rule, other);
  });
  const same = from.hash === to.hash;
  if (json) return out(jsonLine({ same, from: nameOf(from), to: nameOf(to), added, removed, changed }));
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const lines = [
    ...removed.map((id) => `- ${id}: ${before.get(id)?.text}`),
    ...added.map((id) => `+ ${id}: ${after.get(id)?.text}`),
    ...changed.map(({ rule, field, from: old, to: now }) => `~ ${rule}, ${field}: ${text(old)} → ${text(now)}`),
  ];
  const summary = same ? 'They mean the same.' : lines.length === 0 ? 'The rules are the same; id, version or description differ.' : '';
  out(`${nameOf(from)} → ${nameOf(to)}\n${[...lines, summary].filter((line) => line !== '').join('\n')}\n`);
}

function byId({ rules }: RuleSetAnswer): Map<string, RuleAnswer> {
  return new Map(rules.map((rule) => [rule.id, rule]));
}

function nameOf({ id, version }: RuleSetAnswer): string {
  return `${id} version ${version}`;
}

function changesOf(before: RuleAnswer, after: RuleAnswer): Change[] {
  return (Object.keys(before) as (keyof RuleAnswer)[])
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ rule: before.id, field, from: before[field], to: after[field] }));
}
