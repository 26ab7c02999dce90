import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { generatedFiles } from '../../../scripts/reference/generatedFiles.ts';
import { SECTIONS } from '../../../scripts/reference/sections.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

describe('the generated files', () => {
  const files = generatedFiles();

  for (const { file, text } of files)
    it(`include ${file} as npm run docs:reference writes it`, () => {
      expect(readFileSync(path.join(ROOT, file), 'utf8') === text, 'run npm run docs:reference').to.equal(true);
    });

  it('show every section once, and samples at most once', () => {
    const shown = files.flatMap(({ names }) => names);
    expect(new Set(shown).size).to.equal(shown.length);
    const needed = Object.keys(SECTIONS).filter((name) => !name.startsWith('sample: '));
    expect(shown).to.include.members(needed);
  });
});
