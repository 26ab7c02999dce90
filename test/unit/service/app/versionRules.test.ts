import { expect } from 'chai';
import { openForecaster } from '../../../../src/service/app/openForecaster.ts';
import { checkVersionRules, rulesOfVersions } from '../../../../src/engine/forecast/versionRules.ts';
import type { ModelFolder } from '../../../../src/engine/model/modelFiles.ts';
import type { ServedModel } from '../../../../src/engine/model/ModelManifest.ts';
import { readSettings } from '../../../../src/core/config/settings.ts';
import { ruleSetJson } from '../../../support/fakeForecaster.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';

const own = JSON.stringify({ ...ruleSetJson(), id: 'own' });
const source = { json: ruleSetJson(), source: 'shipped' };
const shipped = { source, isOperators: false };
const operators = { source, isOperators: true };
const model = (rules?: string): ServedModel => ({ id: 'mine', ...(rules === undefined ? {} : { rules }) }) as ServedModel;

describe('the rules of a version', () => {
  it('are its own where it has some, else those that ship, and the operator has the last word', () => {
    const ruled = model(own);
    const rulesOf = rulesOfVersions(shipped);
    expect(rulesOf(ruled).id).to.equal('own');
    expect(rulesOf(ruled)).to.equal(rulesOf(ruled));
    expect(rulesOf(model()).id).to.equal('test');
    expect(rulesOf(model())).to.equal(rulesOf(model()));
    expect(rulesOfVersions(operators)(ruled).id).to.equal('test');
  });

  it('are named with their setting where the rules of the operator cannot be used', async () => {
    for (const [RULES_FILE, code] of [
      ['/nope', 'file.unreadable'],
      ['package-lock.json', 'rules.refused'],
      ['README.md', 'rules.refused'],
      ['package.json', 'rules.refused'],
    ] as const) {
      const settings = readSettings({ RULES_FILE });
      const error = await serviceErrorOf(openForecaster(settings));
      expect([error.code, error.message.startsWith(`RULES_FILE=${settings.rulesFile}: `)], error.message).to.deep.equal([code, true]);
    }
  });

  it('refuse the version where they are none', () => {
    const folder = (rules?: string): ModelFolder =>
      ({ manifest: { id: 'mine' }, ...(rules === undefined ? {} : { rules }) }) as unknown as ModelFolder;
    expect(() => checkVersionRules(folder(own))).not.to.throw();
    expect(() => checkVersionRules(folder())).not.to.throw();
    for (const rules of ['', '{', 'null', '[]', own.replace('tickmark-rules/1', 'tickmark-rules/9'), '['.repeat(100_000)])
      expect(() => checkVersionRules(folder(rules)), rules.slice(0, 20))
        .to.throw(/^Model mine: /)
        .with.property('code', 'model.refused');
  });
});
