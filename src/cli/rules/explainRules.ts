import { describeRuleSet } from '../../app/rulesDirectory.ts';
import { readSettings } from '../../config/settings.ts';
import type { RuleSetAnswer } from '../../contract/rules.ts';
import { defaultRuleSetPath, loadRuleSet } from '../../rules/loadRuleSet.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

/** Throws what `loadRuleSet` throws. */
export async function explainRules({ out }: CliContext, given: string | undefined, { json }: GlobalOptions): Promise<void> {
  const { rulesFile } = readSettings();
  const file = given ?? (rulesFile === '' ? defaultRuleSetPath() : rulesFile);
  const set = describeRuleSet(await loadRuleSet(file));
  out(json ? jsonLine(set) : explanation(set));
}

function explanation({ id, version, about, hash, rules, predicates }: RuleSetAnswer): string {
  const named = new Map(predicates.map((predicate) => [predicate.name, predicate]));
  return [
    `${id}, version ${version}, hash ${hash.slice(0, 12)}`,
    about,
    ...rules.flatMap((rule) => ['', `${rule.id}: ${effect(rule)}`, `  says: ${rule.text}`, `  when: ${rule.when}`]),
    '',
    'Predicates',
    ...[...named.values()].map(({ name, about: says, unit }) => `  ${name} (${unit}): ${says}`),
    '',
  ].join('\n');
}

function effect({ kind, horizons, weights, sign, bound, neutral, threshold }: RuleSetAnswer['rules'][number]): string {
  const where = horizons.length === 4 ? '' : ` at ${horizons.join(', ')}`;
  if (kind === 'veto') return `veto${where}: no mark where it is certainly at least ${threshold} true`;
  if (kind === 'abstain') return `abstention${where}: no mark where it may be ${threshold} true`;
  const values = Object.values(weights ?? {});
  const same = values.every((value) => value === values[0]);
  const size = same
    ? String(values[0])
    : Object.entries(weights ?? {})
        .map(([name, value]) => `${value} at ${name}`)
        .join(', ');
  return `evidence${where}: a true rule ${sign === '+' ? 'raises' : 'lowers'} the odds; weight ${size}, at most ${bound}, nothing at truth ${neutral}`;
}
