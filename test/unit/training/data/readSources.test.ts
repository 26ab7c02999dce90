import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { readSources } from '../../../../training/data/readSources.ts';

describe('readSources', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-sources-'));
  const file = path.join(folder, 'sources.json');
  after(() => rmSync(folder, { recursive: true }));

  it('reads a list, and nothing where none is named', () => {
    const list = [{ file: 'a.csv', instrument: 'A', source: 'own', licence: 'none' }];
    writeFileSync(file, JSON.stringify(list));
    expect(readSources(file)).to.deep.equal(list);
    expect(readSources('')).to.deep.equal([]);
  });

  it('refuses what it cannot print on a card, naming file, field and entry', () => {
    for (const [text, told] of [
      ['{', 'cannot be read: '],
      ['{}', 'is no list'],
      ['[null]', 'has no text file in entry 0'],
      ['[{"file":"a.csv","instrument":"A","source":3}]', 'has no text source in entry 0'],
    ] as const) {
      writeFileSync(file, text);
      expect(() => readSources(file), text)
        .to.throw(`The list of sources ${file} ${told}`)
        .with.property('code', 'file.unreadable');
    }
    expect(() => readSources(path.join(folder, 'none.json'))).to.throw('none.json cannot be read');
  });
});
