import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { PREDICATES } from '../../../src/rules/predicates.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

describe('docs/reference/rules.md', () => {
  it('has one line for each predicate, as the code says it', () => {
    const page = readFileSync(path.join(ROOT, 'docs', 'reference', 'rules.md'), 'utf8');
    const lines = page.split('\n').flatMap((line) => {
      const cells = /^\| `([a-z_]+)` +\| (.*?) +\| (.*?) +\|$/.exec(line);
      return cells === null ? [] : [cells.slice(1)];
    });
    expect(lines).to.have.deep.members(PREDICATES.map(({ name, about, unit }) => [name, about, unit]));
  });
});
