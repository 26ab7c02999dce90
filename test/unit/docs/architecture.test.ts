import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { layerGraph, readFolders } from '../../support/layerGraph.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

const page = readFileSync(path.join(ROOT, 'docs', 'explanation', 'architecture.md'), 'utf8');
const folders = readFolders();

describe('docs/explanation/architecture.md', () => {
  it('has a row for every folder', () => {
    const [, table = ''] = /<!-- generated: folders -->([^]*?)<!-- end -->/.exec(page) ?? [];
    expect([...table.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name)).to.have.members(Object.keys(folders));
  });

  it('names files that exist on the path of a forecast', () => {
    const [drawing = ''] = /```text\n[^`]*```/.exec(page) ?? [];
    const named = drawing.match(/\b[\w/]+\.ts\b/g) ?? [];
    expect(named).to.have.length.above(10);
    for (const file of named) expect(existsSync(path.join(ROOT, 'src', file)), file).to.equal(true);
  });

  it('draws each import or a way of arrows to it, always downwards', () => {
    const { rows, arrows } = layerGraph(folders);
    const rowOf = (name: string | undefined): number => rows.findIndex((row) => row.some((stop) => stop.name === name));
    const below = new Map<string, Set<string>>(Object.keys(folders).map((name) => [name, new Set()]));
    for (const arrow of arrows) {
      arrow.slice(1).forEach((stop, i) => expect(rowOf(stop), arrow.join(' ')).to.equal(rowOf(arrow[i]) - 1));
      below.get(arrow[0] as string)?.add(arrow.at(-1) as string);
    }
    const reached = (name: string): string[] => [...(below.get(name) ?? [])].flatMap((one) => [one, ...reached(one)]);
    for (const [name, imports] of Object.entries(folders))
      for (const one of imports) expect(reached(name), name).to.include(one.replace('type:', ''));
  });
});
