import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';

const IMPORT = /(?:^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?from\s+)?|import\(\s*)'([^']+)'/gm;
const PACKAGES = ['fflate', 'fzstd', 'hyparquet/src/index.js', 'hyparquet/src/column.js'];
/** What a Web Worker does not have. Messages and comments may name them. */
const NODE_ONLY = /\b(?:Buffer\.|process\.|require\(|__dirname|setImmediate)/;

/** Every file that the importer loads, with what it breaks. */
function walk(file: string, seen: Map<string, string[]>): void {
  if (seen.has(file)) return;
  const text = readFileSync(file, 'utf8');
  const faults: string[] = NODE_ONLY.test(text) ? [`${file} uses ${NODE_ONLY.exec(text)![0]}`] : [];
  seen.set(file, faults);
  for (const [, isType, target = ''] of text.matchAll(IMPORT)) {
    if (isType !== undefined) continue;
    if (target.startsWith('.')) walk(path.join(path.dirname(file), target), seen);
    else if (!PACKAGES.includes(target)) faults.push(`${file} imports ${target}`);
  }
}

describe('importTicks in a browser', () => {
  it('loads nothing of Node.js, directly or through others', () => {
    const seen = new Map<string, string[]>();
    walk('src/ticks/import/importTicks.ts', seen);
    expect(seen.size).to.be.greaterThan(20);
    expect([...seen.values()].flat()).to.deep.equal([]);
  });

  it('would be told if it did', () => {
    const seen = new Map<string, string[]>();
    walk('src/ticks/import/streamTickFile.ts', seen);
    expect([...seen.values()].flat().join()).to.include('node:crypto');
  });
});
