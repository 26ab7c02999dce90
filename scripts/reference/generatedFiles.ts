import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { readFolders } from '../../test/support/layerGraph.ts';
import { PAGES } from '../../test/support/pageBlocks.ts';
import { ROOT } from '../../test/support/tickmarkProcess.ts';
import { architectureSvg } from './architectureSvg.ts';
import { SECTIONS } from './sections.ts';
import { pythonWire } from './pythonWire.ts';
import { engineOptions, pythonOptions, typeScriptOptions } from './clientOptions.ts';

const PART = /^<!-- generated: (.+) -->\n([^]*?)^<!-- end -->$/gm;

/** The page with its generated parts from the tables, and the names of these parts. */
export function fillPage(page: string): { text: string; names: string[] } {
  const names: string[] = [];
  const text = page.replace(PART, (_all, name: string, old: string) => {
    const section = SECTIONS[name];
    if (section === undefined)
      throw new Error(`There is no section ${JSON.stringify(name)}; there are: ${Object.keys(SECTIONS).join(', ')}.`);
    names.push(name);
    return `<!-- generated: ${name} -->\n\n${section(old.trim())}\n\n<!-- end -->`;
  });
  return { text, names };
}

/** Every generated file: its path from the root, its text, and the sections that it shows. */
export function generatedFiles(): { file: string; text: string; names: string[] }[] {
  const pages = PAGES.map((file) => ({ file, ...fillPage(readFileSync(path.join(ROOT, file), 'utf8')) }));
  const picture = { file: 'docs/pictures/architecture.svg', text: architectureSvg(readFolders()), names: [] };
  const python = 'clients/python/src/tickmark';
  const code = Object.entries({
    'clients/typescript/src/options.ts': typeScriptOptions,
    'clients/engine/src/options.ts': engineOptions,
    [`${python}/_options.py`]: pythonOptions,
  }).map(([file, write]) => ({ file, text: write(), names: [] }));
  const wire = Object.entries(pythonWire()).map(([name, text]) => ({ file: `${python}/_wire/${name}`, text, names: [] }));
  return [...pages.filter(({ names }) => names.length > 0), picture, ...code, ...wire];
}
