import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { ModelFilesAnswer } from '../../../../src/contract/catalog.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import type { ServedModel } from '../../../../src/engine/model/ModelManifest.ts';
import { parseManifest, parseModelFiles } from '../../../../src/engine/model/parseModelFiles.ts';
import { parseRuleSet } from '../../../../src/engine/rules/parseRuleSet.ts';
import { versionFiles } from '../../../../src/service/app/versionFiles.ts';
import { MEMORY_LINE, ruleSetJson } from '../../../support/fakeForecaster.ts';
import { saveSmallModel } from '../../../support/saveSmallModel.ts';

describe('the files of a loaded version', () => {
  const [shipped, own] = [1, 2].map(() => mkdtempSync(path.join(tmpdir(), 'tickmark-files-')));
  const rules = parseRuleSet(ruleSetJson(), 'test');
  const served = new Map<string, ServedModel>();
  const filesOf = versionFiles([shipped!, own!], { find: (id) => served.get(id) }, rules);
  const answerOf = (id: string): ModelFilesAnswer => JSON.parse(filesOf(id)!.toString()) as ModelFilesAnswer;
  const load = (parent: string, id: string): void => {
    const { manifest, card } = loadModelFolder(path.join(parent, id));
    served.set(id, { id, networkId: id, manifest, card });
  };
  before(async () => {
    await saveSmallModel(shipped!, 'base', {}, 1);
    await saveSmallModel(own!, 'base', {}, 2);
    await saveSmallModel(own!, 'mine', {}, 3, { 'report.html': '<p>large</p>' }, undefined, MEMORY_LINE);
    load(shipped!, 'base');
    load(own!, 'mine');
  });
  after(() => [shipped, own].forEach((folder) => rmSync(folder!, { recursive: true })));

  it('make the same version again, with the rules of its answers, and nothing that a forecast does not need', () => {
    for (const [id, parent] of [
      ['base', shipped!],
      ['mine', own!],
    ] as const) {
      const { files, ruleset, ...rest } = answerOf(id);
      expect([rest, ruleset]).to.deep.equal([{ id }, { id: rules.id, hash: rules.hash }]);
      expect(files).to.have.all.keys('manifest.json', 'model.json', 'weights.bin', 'golden.json', 'card.md', 'rules.json');
      const refuse = (why: string): never => expect.fail(why);
      const contents = new Map(
        Object.entries(files).map(([name, text]) => [name, Uint8Array.from(Buffer.from(text, name === 'weights.bin' ? 'base64' : 'utf8'))]),
      );
      const parsed = parseModelFiles(parseManifest(contents.get('manifest.json')!, refuse), contents, refuse);
      expect(parsed).to.deep.equal(loadModelFolder(path.join(parent, id)));
      expect(parseRuleSet(JSON.parse(files['rules.json']), 'the answer').hash).to.equal(rules.hash);
    }
  });

  it('are read once for each loaded version', () => {
    expect(filesOf('mine')).to.equal(filesOf('mine'));
    const before = filesOf('mine');
    load(own!, 'mine');
    expect(filesOf('mine')).to.not.equal(before);
    expect(filesOf('other')).to.equal(undefined);
  });

  it('are not given while those on the disk are not those that are loaded', () => {
    load(own!, 'mine');
    appendFileSync(path.join(own!, 'mine', 'card.md'), 'changed');
    const refusals: Record<string, RegExp> = {
      mine: /^The files of mine have changed since it was loaded: card\.md has SHA-256/,
      gone: /they are gone/,
    };
    served.set('gone', { ...served.get('mine')!, id: 'gone' });
    for (const [id, message] of Object.entries(refusals))
      expect(() => filesOf(id))
        .to.throw(ServiceError, message)
        .with.property('code', 'service.not_ready');
  });
});
