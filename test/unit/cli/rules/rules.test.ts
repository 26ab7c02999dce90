import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { cliRun } from '../../../support/cliRun.ts';
import { ruleSetJson } from '../../../support/fakeForecaster.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

describe('tickmark rules', () => {
  const folder = temporaryFolder();

  const rules = (...argv: string[]) => cliRun({}, 'rules', ...argv);
  function written(name: string, change: (json: ReturnType<typeof ruleSetJson>) => void = () => {}): string {
    const json = ruleSetJson();
    change(json);
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify(json));
    return file;
  }

  it('checks a set: in order, or refused at its place, exit code 1', async () => {
    const good = await rules('check', written('good.json'));
    expect([good.code, good.err]).to.deep.equal([0, '']);
    expect(good.out).to.match(/good\.json is in order: .*3 rules \(2 evidence, 1 veto, 0 abstentions\), hash [0-9a-f]{12}\./);
    const bad = await rules(
      'check',
      written('bad.json', (json) => (json.rules[0]['wieght'] = 1)),
    );
    expect([bad.code, bad.out]).to.deep.equal([1, '']);
    expect(bad.err).to.include('/rules/0/wieght: unknown field. Did you mean "weight"?');
    expect((await rules('check', path.join(folder, 'none.json'))).code).to.equal(1);
  });

  it('explains the set that ships and one of the caller', async () => {
    const shipped = await rules('explain');
    expect(shipped.code).to.equal(0);
    expect(shipped.out).to.include('veto_stale: veto: no mark where it is certainly at least 0.9 true');
    expect(shipped.out).to.include('  when: resistance_near and not volatility_expansion\n');
    const own = await rules(
      'explain',
      written('own.json', (json) => {
        const rule = json.rules[1];
        delete rule['literals'];
        Object.assign(rule, {
          text: 'calm',
          when: {
            at_least: 2,
            of: [
              { predicate: 'stale' },
              { not: { predicate: 'imbalance' } },
              { any: [{ predicate: 'reversals' }, { predicate: 'jump_share' }] },
            ],
          },
          horizons: ['h30s', 'h3m'],
        });
      }),
    );
    expect(own.err).to.equal('');
    expect(own.out).to.include('when: at least 2 of (jump_share or reversals, not imbalance, stale)');
    expect(own.out).to.match(/evidence at h30s, h3m: a true rule raises the odds; weight [\d.]+, at most/);
    expect(JSON.parse((await rules('explain', '--json')).out)).to.include.keys('hash', 'predicates');
  });

  it('tells two sets apart by what they mean', async () => {
    const one = written('one.json');
    const turned = written('turned.json', (json) => json.rules.reverse());
    expect((await rules('diff', one, turned)).out).to.include('They mean the same.');
    const other = written('other.json', (json) => {
      json.rules[1]['weight'] = 0.05;
      json.rules[2]['id'] = 'print';
    });
    const { out, code } = await rules('diff', one, other);
    expect(code).to.equal(0);
    expect(out)
      .to.match(/^- bad-print: /m)
      .and.to.match(/^\+ print: /m)
      .and.to.match(/^~ calm-low, weights: .* → .*0\.05/m);
    const json = JSON.parse((await rules('diff', one, other, '--json')).out) as Record<string, unknown>;
    expect(json).to.deep.include({ same: false, added: ['print'], removed: ['bad-print'] });
  });
});
