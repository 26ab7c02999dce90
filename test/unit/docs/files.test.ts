import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { COUNTED_CODES } from '../../../src/ticks/import/findings/counted.ts';
import { FORMAT_TITLES } from '../../../src/ticks/import/ImportReport.ts';
import { fillPage } from '../../../scripts/reference/generatedFiles.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';
import { TICK_FORMATS } from '../../support/tickFormats.ts';

const page = readFileSync(path.join(ROOT, 'docs', 'reference', 'files.md'), 'utf8');

describe('docs/reference/files.md', () => {
  it('has a sample or a word for every format', () => {
    const shown = new Set(fillPage(page).names);
    const formats = TICK_FORMATS.filter(({ name }) => shown.has(`sample: ${name}`)).map(({ format }) => format);
    for (const [format, title] of Object.entries(FORMAT_TITLES))
      expect(formats.includes(format as never) || page.includes(title), format).to.equal(true);
  });

  it('lists every finding', () => {
    const listed = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` /gm)].map(([, code]) => code);
    expect(listed).to.include.members(COUNTED_CODES);
    const source = readdirSync(path.join(ROOT, 'src/ticks/import'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(path.join(ROOT, 'src/ticks/import', file), 'utf8'))
      .join('\n');
    const thrown = [...source.matchAll(/(?:code: |(?:found|finding|note)\(\s*)'([a-z_]+\.[a-z_]+)'/g)].map(([, code]) => code);
    expect(listed).to.have.members([...new Set([...COUNTED_CODES, ...thrown])]);
  });
});
