import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';

describe('docs/explanation/security.md', () => {
  const page = readFileSync(path.join(packageRoot(), 'docs', 'explanation', 'security.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ([^|]*) \| ([^|]*) \| (?:`(test\/[^`]+)`: ([^|]*))?\| [^|]{5,} \|$/gm)];

  it('has a row for each risk of the Top 10', () => {
    for (let risk = 1; risk <= 10; risk++)
      expect(
        rows.some(([, name]) => name?.startsWith(`API${risk} `)),
        `API${risk}`,
      ).to.equal(true);
  });

  for (const [, item = '', claim = '', file, title = ''] of rows)
    it(`${item.trim()}: names a test that is there, or says that it is not met or that it is words`, () => {
      if (file === undefined) expect(claim).to.match(/\*\*not met\*\*|^this page/);
      else expect(readFileSync(path.join(packageRoot(), file), 'utf8')).to.include(title.trim());
    });
});
