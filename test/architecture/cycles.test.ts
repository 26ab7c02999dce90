import { readFileSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';

/** The path of a relative import or export, static or dynamic. */
const IMPORT = /(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g;

/**
 * Each circle of imports that a walk from every file meets, as `a -> b -> a`. Type-only imports count too: they cost nothing at run time, but a
 * circle of types becomes a real one with the first value that joins them, and the files can only be read together.
 */
function findCycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
    else if (!done.has(file)) {
      for (const next of imports.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    }
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}

function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, name = '']) => path.join(path.dirname(file), name));
}

function readImports(): Map<string, string[]> {
  const files = ['src', 'training', 'clients/typescript/src', 'clients/engine/src', 'bench', 'test'].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  return new Map(files.map((file) => [file, importsOf(file)]));
}

describe('import cycles', () => {
  it('no file imports itself through others', () => {
    const imports = readImports();
    expect(imports.get(path.join('src', 'service', 'http', 'runRoute.ts'))).to.include(
      path.join('src', 'service', 'http', 'RequestContext.ts'),
    );
    expect(findCycles(imports)).to.deep.equal([]);
  });

  it('the check finds cycles of two and of three files, and names them once', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', ['b']],
      ['e', ['a', 'd']],
    ]);
    expect(findCycles(imports)).to.deep.equal(['a -> b -> c -> a', 'b -> d -> b']);
  });
});
