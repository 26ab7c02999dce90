import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../support/realTicks.ts';
import { ROOT, spawnTickmark } from '../support/tickmarkProcess.ts';

type Detail = {
  logit: Record<'baseline' | 'network' | 'rules' | 'total', number>;
  opportunity: { probability: number };
  reasons: { code: string; rule?: string }[];
  rules: { id: string; contribution: number; literals: { predicate: string; negated: boolean; truth: [number, number] }[] }[];
};

describe('the window of docs/reference/rules.md', () => {
  it('has the numbers that were computed by hand', async function () {
    this.timeout(120_000);
    if (!hasRealTicks) {
      console.log(`    skipped: ${REAL_TICKS_SKIPPED}`);
      this.skip();
    }
    const page = readFileSync(path.join(ROOT, 'docs', 'reference', 'rules.md'), 'utf8').replaceAll(/ +/g, ' ');
    const file = path.join(REAL_TICKS_DIR, 'commodity-xauusd-oanda.csv.gz');
    const env = { RULES_FILE: path.join(ROOT, 'docs', 'examples', 'rules-example.json') };
    const { code, stdout, stderr } = await spawnTickmark(
      ['predict', file, '--horizon', '60s', '--ticks', '500', '--explain', '--json', '--no-memory'],
      env,
    ).ended;
    expect(code, stderr).to.equal(0);
    const { detail } = JSON.parse(stdout) as { detail: Detail };
    const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
    for (const { literals } of detail.rules)
      for (const { predicate, negated, truth } of literals)
        expect(page).to.include(`| ${negated ? 'not ' : ''}\`${predicate}\` | ${truth[0].toFixed(4)} to ${truth[1].toFixed(4)} |`);
    for (const { contribution } of detail.rules) if (contribution !== 0) expect(page).to.include(`= ${signed(contribution)}.`);
    for (const [name, value] of Object.entries(detail.logit)) expect(page).to.include(`| ${name} | ${signed(value)} |`);
    expect(page).to.include(`| probability | ${detail.opportunity.probability.toFixed(4)} |`);
    expect(detail.reasons).to.deep.equal([{ ...detail.reasons[0], code: 'abstained_by_rule', rule: 'too_dear' }]);
    expect(detail.rules.reduce((sum, { contribution }) => sum + contribution, 0)).to.be.closeTo(detail.logit.rules, 1e-9);
  });
});
