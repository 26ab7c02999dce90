import type { Command } from 'commander';
import { act, type CliContext, type GlobalOptions, jsonLine } from '../CliContext.ts';
import { describeRuleSet } from '../../service/app/rulesDirectory.ts';
import { readSettings } from '../../core/config/settings.ts';
import type { RuleSetAnswer } from '../../contract/catalog.ts';
import { plural } from '../../core/plural.ts';
import { loadRuleSet, defaultRuleSetPath } from '../../engine/rules/loadRuleSet.ts';

const HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json               whether the service would load it; the first fault and its location
  $ tickmark rules explain                               the rule set in use, rule by rule
  $ tickmark rules explain rules/mine-1.json
  $ tickmark rules diff rules/base-2.json rules/mine-1.json
  $ RULES_FILE=rules/mine-1.json tickmark replay ticks.csv.gz   marks and probabilities with it, to compare with those without
  $ RULES_FILE=rules/mine-1.json tickmark serve          serves with it

How to write rules and how they affect the score: docs/reference/rules.md.`;

const CHECK_HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json
  $ tickmark rules check rules/mine-1.json --json

Exit code 1 if the set is refused, for example for a missing or unknown field, an unknown predicate, a weight that contradicts its sign or exceeds
its bound, or a duplicate id.`;

const EXPLAIN_HELP = `
Examples:
  $ tickmark rules explain                     the set of RULES_FILE, or the one that ships
  $ tickmark rules explain rules/mine-1.json`;

const DIFF_HELP = `
Examples:
  $ tickmark rules diff rules/base-2.json rules/mine-1.json

Lists what was added, removed and changed. The order of rules, literals and fields has no meaning and is not compared.`;

export function addRules(program: Command, context: CliContext): void {
  const rules = program.command('rules').description('check, explain and compare rule sets').addHelpText('after', HELP);
  rules
    .command('check')
    .argument('<file>', 'a rule set, JSON')
    .description('check whether the service would load a rule set')
    .addHelpText('after', CHECK_HELP)
    .action(act(context, checkRules));
  rules
    .command('explain')
    .argument('[file]', 'a rule set, JSON (default: the one in use)')
    .description('show what each rule says, when it holds and how much it can add')
    .addHelpText('after', EXPLAIN_HELP)
    .action(act(context, explainRules));
  rules
    .command('diff')
    .argument('<a>', 'a rule set, JSON')
    .argument('<b>', 'another one')
    .description('show the differences between two rule sets')
    .addHelpText('after', DIFF_HELP)
    .action(act(context, diffRules));
}

/** Throws `rules.refused` with the place of the first fault, `file.unreadable`. */
async function checkRules({ out }: CliContext, file: string, { json }: GlobalOptions): Promise<void> {
  const { id, version, hash, rules } = await loadRuleSet(file);
  const count = (kind: string): number => rules.filter((rule) => rule.kind === kind).length;
  const [evidence, vetoes, abstentions] = [count('evidence'), count('veto'), count('abstain')];
  if (json) return out(jsonLine({ id, version, hash, rules: rules.length, evidence, vetoes, abstentions }));
  out(
    `${file} is in order: ${id}, version ${version}, ${plural(rules.length, 'rule')} (${evidence} evidence, ${plural(vetoes, 'veto', 'vetoes')}, ${plural(abstentions, 'abstention')}), hash ${hash.slice(0, 12)}.\n` +
      `Use it: RULES_FILE=${file} tickmark serve\n`,
  );
}

type RuleAnswer = RuleSetAnswer['rules'][number];
type Change = { readonly rule: string; readonly field: string; readonly from: unknown; readonly to: unknown };

/** Throws what `loadRuleSet` throws. */
async function diffRules({ out }: CliContext, a: string, b: string, { json }: GlobalOptions): Promise<void> {
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

/** Throws what `loadRuleSet` throws. */
async function explainRules({ out }: CliContext, given: string | undefined, { json }: GlobalOptions): Promise<void> {
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
  const [weight = 0] = Object.values(weights ?? {});
  return `evidence${where}: a true rule ${sign === '+' ? 'raises' : 'lowers'} the odds; weight ${weight}, at most ${bound}, nothing at truth ${neutral}`;
}
