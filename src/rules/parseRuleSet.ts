import { createHash } from 'node:crypto';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { ServiceError } from '../core/ServiceError.ts';
import { nearestName } from './nearestName.ts';
import { findPredicate, PREDICATES } from './predicates.ts';
import type { Rule, RuleLiteral, RuleSet } from './RuleSet.ts';
import { RULE_SET_SCHEMA, type RuleJson, type RuleSetJson } from './ruleSetSchema.ts';
import { parseRuleText } from './ruleText.ts';

/** A fault of a rule set: where, what and what to do. */
type Fault = { readonly pointer: string; readonly what: string; readonly hint: string };

/**
 * A rule set from parsed JSON. `source` names the file in messages.
 * Throws ServiceError `rules.refused` with the JSON Pointer of the first fault and a hint; never anything else.
 */
export function parseRuleSet(json: unknown, source: string): RuleSet {
  const fault = schemaFault(json);
  if (fault) throw refused(source, fault);
  const written = json as RuleSetJson;
  const seen = new Set<string>();
  const rules = written.rules.map((rule, index) => {
    const parsed = parseRule(rule, `/rules/${index}`);
    if ('pointer' in parsed) throw refused(source, parsed);
    if (seen.has(rule.id))
      throw refused(source, {
        pointer: `/rules/${index}/id`,
        what: `a second rule with id "${rule.id}"`,
        hint: 'Give each rule its own id.',
      });
    seen.add(rule.id);
    return parsed;
  });
  rules.sort((a, b) => (a.id < b.id ? -1 : 1));
  const set = { id: written.id, version: written.version, about: written.about };
  return { ...set, rules, hash: createHash('sha256').update(canonicalJson(set, rules)).digest('hex') };
}

function refused(source: string, fault: Fault): ServiceError {
  return new ServiceError('rules.refused', `${source}: ${fault.pointer || 'the whole file'}: ${fault.what}. ${fault.hint}`);
}

let compiled: ValidateFunction | undefined;

function schemaFault(json: unknown): Fault | null {
  // Compiled at the first use: nothing is worked out when the module loads.
  const isValid = (compiled ??= new Ajv({ strict: true }).compile(RULE_SET_SCHEMA));
  if (isValid(json)) return null;
  const [error] = isValid.errors ?? [];
  return error === undefined ? { pointer: '', what: 'not a rule set', hint: 'See rules/base-1.json.' } : toFault(error);
}

function toFault(error: ErrorObject): Fault {
  const parameters = error.params as Record<string, unknown>;
  const field = String(parameters['missingProperty'] ?? parameters['additionalProperty'] ?? '').slice(0, 64);
  if (error.keyword === 'required') return { pointer: `${error.instancePath}/${field}`, what: 'missing', hint: 'Add the field.' };
  if (error.keyword === 'additionalProperties') {
    const escaped = field.replaceAll('~', '~0').replaceAll('/', '~1');
    const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
    const nearest = nearestName(field, known.length > 0 ? known : FIELD_NAMES);
    const hint = nearest === null ? 'Remove it.' : `Did you mean "${nearest}"?`;
    return { pointer: `${error.instancePath}/${escaped}`, what: 'no such field', hint };
  }
  const allowed = parameters['allowedValues'] ?? parameters['allowedValue'];
  const what = `${error.message ?? 'breaks the schema'}${allowed === undefined ? '' : `: ${JSON.stringify(allowed)}`}`;
  return { pointer: error.instancePath, what, hint: 'Correct the value.' };
}

const RULE_FIELDS = Object.keys(RULE_SET_SCHEMA.properties.rules.items.properties);
const FIELD_NAMES = [...Object.keys(RULE_SET_SCHEMA.properties), ...RULE_FIELDS, 'predicate', 'not'];

function parseRule(rule: RuleJson, pointer: string): Rule | Fault {
  const literals: RuleLiteral[] = [];
  for (const [index, literal] of rule.literals.entries()) {
    const predicate = findPredicate(literal.predicate);
    const at = `${pointer}/literals/${index}/predicate`;
    if (predicate === undefined) {
      const names = PREDICATES.map(({ name }) => name);
      const nearest = nearestName(literal.predicate, names);
      const hint = nearest === null ? `The ${names.length} known ones stand in docs/rules.md.` : `Did you mean "${nearest}"?`;
      return { pointer: at, what: `no predicate "${literal.predicate}"`, hint };
    }
    if (literals.some((other) => other.predicate === predicate))
      return { pointer: at, what: `"${predicate.name}" a second time in one rule`, hint: 'Name each predicate once.' };
    literals.push({ predicate, negated: literal.not ?? false });
  }
  literals.sort((a, b) => (a.predicate.name < b.predicate.name ? -1 : 1));
  const text = parseRuleText(
    rule.text,
    literals.map(({ predicate }) => predicate.name),
  );
  if (typeof text === 'string') return { pointer: `${pointer}/text`, what: text, hint: 'Correct the text.' };
  return rule.kind === 'veto' ? parseVeto(rule, pointer, { text, literals }) : parseEvidence(rule, pointer, { text, literals });
}

type Body = Pick<Rule, 'text' | 'literals'>;

function parseVeto(rule: RuleJson, pointer: string, body: Body): Rule | Fault {
  for (const field of ['weight', 'sign', 'bound', 'neutral'] as const)
    if (rule[field] !== undefined)
      return { pointer: `${pointer}/${field}`, what: 'a veto has none', hint: 'Remove it, or make the rule evidence.' };
  if (rule.threshold === undefined)
    return { pointer: `${pointer}/threshold`, what: 'missing', hint: 'Say how true the veto must be to fire.' };
  return { id: rule.id, kind: 'veto', ...body, threshold: rule.threshold };
}

function parseEvidence(rule: RuleJson, pointer: string, body: Body): Rule | Fault {
  if (rule.threshold !== undefined)
    return { pointer: `${pointer}/threshold`, what: 'evidence has none', hint: 'Remove it, or make the rule a veto.' };
  const { weight, sign, bound, neutral = 0.5 } = rule;
  if (weight === undefined || sign === undefined || bound === undefined) {
    const field = weight === undefined ? 'weight' : sign === undefined ? 'sign' : 'bound';
    return { pointer: `${pointer}/${field}`, what: 'missing', hint: 'Evidence has weight, sign and bound.' };
  }
  if (sign === '+' ? weight < 0 : weight > 0)
    return {
      pointer: `${pointer}/weight`,
      what: `${weight} against the sign "${sign}"`,
      hint: "Keep the sign that the rule's meaning gives, or use 0.",
    };
  if (Math.abs(weight) > bound)
    return { pointer: `${pointer}/weight`, what: `${weight} beyond the bound ${bound}`, hint: 'Use a smaller weight.' };
  return { id: rule.id, kind: 'evidence', ...body, weight: weight + 0, sign: sign === '+' ? 1 : -1, bound, neutral };
}

/** One text for one meaning: keys in a fixed order, rules and literals sorted, defaults written out. */
function canonicalJson(set: Pick<RuleSet, 'id' | 'version' | 'about'>, rules: readonly Rule[]): string {
  const plain = rules.map((rule) => {
    const literals = rule.literals.map(({ predicate, negated }) => [predicate.name, negated]);
    const numbers = rule.kind === 'veto' ? [rule.threshold] : [rule.weight, rule.sign, rule.bound, rule.neutral];
    return [rule.id, rule.kind, rule.text.source, literals, numbers];
  });
  return JSON.stringify(['tickmark-rules/1', set.id, set.version, set.about, plain]);
}
