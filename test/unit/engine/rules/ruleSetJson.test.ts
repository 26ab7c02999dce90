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

  it('keeps horizons, and weights by horizon', () => {
    const json = read(path.join(ROOT, 'docs/examples/rules-example.json'));
    const [first] = json['rules'] as Record<string, unknown>[];
    first!['horizons'] = ['h30s', 'h15m'];
    json['sections'] = { h15m: { weights: { range_holds: -0.1, momentum: 0.2 } }, hlong: { weights: { momentum: 0 } } };
    const set = parseRuleSet(json, 'changed');
    const again = parseRuleSet(JSON.parse(JSON.stringify(ruleSetJson(set))), 'again');
    expect(again).to.deep.equal(set);
    expect(again.rules.find(({ id }) => id === 'momentum')).to.deep.include({ weights: [0.3, 0.3, 0.2, 0] });
  });
});
