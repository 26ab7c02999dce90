import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { defaultRuleSetPath } from '../../../../src/engine/rules/loadRuleSet.ts';
import { parseRuleSet } from '../../../../src/engine/rules/parseRuleSet.ts';
import { ruleSetJson } from '../../../../src/engine/rules/RuleSet.ts';
import { ROOT } from '../../../support/tickmarkProcess.ts';

describe('ruleSetJson', () => {
  const read = (file: string): Record<string, unknown> => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;

  for (const file of [defaultRuleSetPath(), path.join(ROOT, 'docs/examples/rules-example.json')])
    it(`writes what is read from ${path.basename(file)} back as an equal set`, () => {
      const set = parseRuleSet(read(file), file);
      expect(parseRuleSet(ruleSetJson(set), 'again').hash).to.equal(set.hash);
    });

  it('keeps horizons', () => {
    const json = read(path.join(ROOT, 'docs/examples/rules-example.json'));
    const [first] = json['rules'] as Record<string, unknown>[];
    first!['horizons'] = ['h30s', 'h15m'];
    const set = parseRuleSet(json, 'changed');
    const again = parseRuleSet(JSON.parse(JSON.stringify(ruleSetJson(set))), 'again');
    expect(again).to.deep.equal(set);
  });
});
