import { checkSchema } from '../../core/checkSchema.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { sha256 } from '../../core/sha256.ts';
import { BUCKET_NAMES } from '../features/horizonBuckets.ts';
import { expressionText, literalsOf, parseExpression, parseLiterals, type Fault } from './Expression.ts';
import { nearestName } from '../../core/nearestName.ts';
import type { Rule, RuleSet } from './RuleSet.ts';
import { RULE_SET_SCHEMA, type RuleJson, type RuleSetJson } from './ruleSetSchema.ts';
import { parseRuleText } from './ruleText.ts';

/**
 * Makes a rule set from parsed JSON. `source` names the file in messages.
 * Throws only ServiceError `rules.refused`, with the JSON Pointer of the first fault and a hint.
 */
export function parseRuleSet(json: unknown, source: string): RuleSet {
  const fault = depthFault(json) ?? schemaFault(json);
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
  return { ...set, rules, hash: sha256(canonicalJson(set, rules)) };
}

function refused(source: string, fault: Fault): ServiceError {
  return new ServiceError('rules.refused', `${source}: ${fault.pointer || 'the whole file'}: ${fault.what}. ${fault.hint}`);
}

/** Deeper than any rule set. The schema is recursive, so deeper JSON could overflow the stack. */
const MAX_JSON_DEPTH = 32;

function depthFault(json: unknown): Fault | null {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return { pointer: '', what: `nested more than ${MAX_JSON_DEPTH} deep`, hint: 'Use fewer levels.' };
    level = level.flatMap((value): unknown[] => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return null;
}

function schemaFault(json: unknown): Fault | null {
  const broken = checkSchema(RULE_SET_SCHEMA, json);
  if (broken === null) return null;
  const { path: pointer, keyword, message, property = '', allowed, schema } = broken;
  const field = property.slice(0, 64);
  if (keyword === 'required') return { pointer: `${pointer}/${field}`, what: 'missing', hint: 'Add the field.' };
  if (keyword === 'additionalProperties') {
    const escaped = field.replaceAll('~', '~0').replaceAll('/', '~1');
    const known = Object.keys((schema as { properties?: object }).properties ?? {});
    const nearest = nearestName(field, known);
    const hint = nearest === null ? 'Remove it.' : `Did you mean "${nearest}"?`;
    return { pointer: `${pointer}/${escaped}`, what: 'unknown field', hint };
  }
  return { pointer, what: `${message}${allowed === undefined ? '' : `: ${JSON.stringify(allowed)}`}`, hint: 'Correct the value.' };
}

function parseRule(rule: RuleJson, pointer: string): Rule | Fault {
  const when = parseWhen(rule, pointer);
  if ('pointer' in when) return when;
  const literals = literalsOf(when);
  const text = parseRuleText(
    rule.text,
    literals.map(({ predicate }) => predicate),
  );
  if (typeof text === 'string') return { pointer: `${pointer}/text`, what: text, hint: 'Correct the text.' };
  const applies = BUCKET_NAMES.map((name) => rule.horizons?.includes(name) ?? true);
  const body = { id: rule.id, text, when, literals, applies };
  return rule.kind === 'evidence' ? parseEvidence(rule, pointer, body) : parseForbidding(rule, rule.kind, pointer, body);
}

function parseWhen(rule: RuleJson, pointer: string): ReturnType<typeof parseExpression> {
  if (rule.when !== undefined && rule.literals !== undefined)
    return {
      pointer: `${pointer}/literals`,
      what: 'given together with "when"',
      hint: 'Use only one: "literals" is short for "when": {"all": [...]}.',
    };
  if (rule.when !== undefined) return parseExpression(rule.when, `${pointer}/when`);
  if (rule.literals !== undefined) return parseLiterals(rule.literals, `${pointer}/literals`);
  return { pointer: `${pointer}/when`, what: 'missing', hint: 'Add the condition of the rule as "when" or "literals".' };
}

type Body = Pick<Rule, 'id' | 'text' | 'when' | 'literals' | 'applies'>;

function parseForbidding(rule: RuleJson, kind: 'veto' | 'abstain', pointer: string, body: Body): Rule | Fault {
  const a = kind === 'veto' ? 'a veto' : 'an abstention';
  for (const field of ['weight', 'sign', 'bound', 'neutral'] as const)
    if (rule[field] !== undefined)
      return { pointer: `${pointer}/${field}`, what: `not allowed for ${a}`, hint: 'Remove it, or make the rule evidence.' };
  if (rule.threshold === undefined)
    return { pointer: `${pointer}/threshold`, what: 'missing', hint: `Add the truth from which ${a} fires.` };
  return { ...body, kind, threshold: rule.threshold };
}

function parseEvidence(rule: RuleJson, pointer: string, body: Body): Rule | Fault {
  if (rule.threshold !== undefined)
    return { pointer: `${pointer}/threshold`, what: 'not allowed for evidence', hint: 'Remove it, or make the rule a veto.' };
  const { weight, sign, bound, neutral = 0.5 } = rule;
  if (weight === undefined || sign === undefined || bound === undefined) {
    const field = weight === undefined ? 'weight' : sign === undefined ? 'sign' : 'bound';
    return { pointer: `${pointer}/${field}`, what: 'missing', hint: 'Evidence requires weight, sign and bound.' };
  }
  const fault = weightFault(weight, sign, bound);
  if (fault !== null) return { pointer: `${pointer}/weight`, ...fault };
  return { ...body, kind: 'evidence', weight: weight + 0, sign: sign === '+' ? 1 : -1, bound, neutral };
}

function weightFault(weight: number, sign: '+' | '-', bound: number): Omit<Fault, 'pointer'> | null {
  if (sign === '+' ? weight < 0 : weight > 0)
    return { what: `${weight} contradicts the sign "${sign}"`, hint: 'Use a weight with the sign of the rule, or 0.' };
  return Math.abs(weight) > bound ? { what: `${weight} exceeds the bound ${bound}`, hint: 'Use a smaller weight.' } : null;
}

/**
 * Canonical JSON, equal for sets with the same meaning: fixed key order, rules and literals sorted, defaults included. A weight stands once for each
 * horizon bucket, so that hashes stay what they were.
 */
function canonicalJson(set: Pick<RuleSet, 'id' | 'version' | 'about'>, rules: readonly Rule[]): string {
  const plain = rules.map((rule) => {
    const numbers =
      rule.kind === 'evidence' ? [BUCKET_NAMES.map(() => rule.weight), rule.sign, rule.bound, rule.neutral] : [rule.threshold];
    return [rule.id, rule.kind, rule.text.source, expressionText(rule.when), rule.applies, numbers];
  });
  return JSON.stringify(['tickmark-rules/1', set.id, set.version, set.about, plain]);
}
