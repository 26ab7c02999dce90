import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';
import { checkSchema } from '../../../src/core/checkSchema.ts';
import { defaultRuleSetPath } from '../../../src/engine/rules/loadRuleSet.ts';
import { RULE_SET_SCHEMA } from '../../../src/engine/rules/ruleSetSchema.ts';

/** With what the rule set leaves out. */
const OTHER_SCHEMA = {
  type: ['object', 'null'],
  required: ['a'],
  minProperties: 1,
  properties: {
    a: { type: ['number', 'null'], minimum: 0, exclusiveMinimum: -1, maximum: 2 },
    b: { type: 'string', minLength: 2, maxLength: 3 },
    c: { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 1, maxItems: 3 },
    d: { enum: [0, 'x', null] },
    e: { type: 'boolean' },
  },
  patternProperties: { '^x-': { type: 'number' }, '^x-b': { const: 3 } },
  additionalProperties: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } },
  dependencies: { a: ['b', 'c'], d: { type: 'object', maxProperties: 6 } },
};
const RULES = JSON.parse(readFileSync(defaultRuleSetPath(), 'utf8')) as object;
const OTHER = { a: 1, b: 'xy', c: [1, 2], d: 'x', 'x-a': 1, more: ['abc'] };

type Step = { readonly way: readonly number[]; readonly key: string; readonly value: unknown; readonly does: 'set' | 'delete' | 'add' };
const WORDS = ['a', 'b', 'c', 'd', 'x-a', 'x-b', 'a/b~c', 'rules', 'when', 'not', 'all', 'of', 'at_least', 'predicate', 'weight', 'id'];
const VALUES = [
  null,
  true,
  -1,
  0,
  1.5,
  3,
  65,
  NaN,
  Infinity,
  '',
  'x',
  'xy',
  '😀😀😀',
  'x'.repeat(400),
  [],
  [1, 1],
  ['A'],
  {},
  { not: {} },
  OTHER,
];
const step: fc.Arbitrary<Step> = fc.record({
  way: fc.array(fc.nat(63), { maxLength: 6 }),
  key: fc.constantFrom(...WORDS),
  value: fc.constantFrom<unknown>(...VALUES),
  does: fc.constantFrom('set', 'delete', 'add'),
});

/** Changes a copy somewhere below its root. */
function change(document: unknown, { way, key, value, does }: Step): unknown {
  const root = { document: structuredClone(document) };
  let [holder, name]: [Record<string, unknown>, string] = [root, 'document'];
  for (const turn of way) {
    const inner = holder[name];
    const names = typeof inner === 'object' && inner !== null ? Object.keys(inner) : [];
    if (names.length === 0) break;
    [holder, name] = [inner as Record<string, unknown>, names[turn % names.length]];
  }
  const target = holder[name];
  if (does === 'delete' && Array.isArray(holder)) holder.splice(Number(name), 1);
  else if (does === 'delete' && holder !== (root as object)) delete holder[name];
  else if (does === 'add' && typeof target === 'object' && target !== null && !Array.isArray(target))
    (target as Record<string, unknown>)[key] = value;
  else holder[name] = value;
  return root.document;
}

describe('checkSchema', () => {
  for (const [name, schema, valid] of [
    ['rule sets', RULE_SET_SCHEMA, RULES],
    ['a schema of the other keywords', OTHER_SCHEMA, OTHER],
  ] as const)
    it(`finds the first fault of Ajv, in its words, in ${name}`, () => {
      const ajv = new Ajv({ allowUnionTypes: true, strict: false, strictNumbers: true }).compile(schema);
      expect(checkSchema(schema, valid)).to.equal(null);
      const seen = new Set<string>();
      fc.assert(
        fc.property(fc.array(step, { minLength: 1, maxLength: 3 }), (steps) => {
          const value = steps.reduce(change, valid as unknown);
          const found = checkSchema(schema, value);
          const [wanted] = ajv(value) ? [] : (ajv.errors ?? []);
          expect(found && [found.path, found.keyword, found.message]).to.deep.equal(
            wanted === undefined ? null : [wanted.instancePath, wanted.keyword, wanted.message],
          );
          seen.add(found?.keyword ?? 'none');
        }),
        { numRuns: 2000, seed: 46 },
      );
      expect(seen.size, [...seen].join()).to.be.at.least(8);
    });

  it('refuses a schema with a keyword that it does not know', () => {
    for (const schema of [{ typ: 'number' }, { type: 'object', properties: { a: { multipleOf: 2 } } }])
      expect(() => checkSchema(schema, { a: 1 })).to.throw(/^unknown keyword: "/);
  });
});
