import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { readSources } from '../../../../training/data/readSources.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

describe('readSources', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'sources.json');

  it('reads a list, and returns an empty list without a file', () => {
    const list = [{ file: 'a.csv', instrument: 'A', source: 'own', licence: 'none' }];
    writeFileSync(file, JSON.stringify(list));
    expect(readSources(file)).to.deep.equal(list);
    expect(readSources('')).to.deep.equal([]);
  });

  it('rejects entries that a card cannot show, with file, field and entry', () => {
    for (const [text, reason] of [
      ['{', 'cannot be read: '],
      ['{}', 'is not a JSON array'],
      ['[null]', 'has no string file in entry 0'],
      ['[{"file":"a.csv","instrument":"A","source":3}]', 'has no string source in entry 0'],
    ] as const) {
      writeFileSync(file, text);
      expect(() => readSources(file), text)
        .to.throw(`The list of sources ${file} ${reason}`)
        .with.property('code', 'file.unreadable');
    }
    expect(() => readSources(path.join(folder, 'none.json'))).to.throw('none.json cannot be read');
  });
});
