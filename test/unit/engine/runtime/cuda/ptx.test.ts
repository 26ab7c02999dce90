import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../../../src/core/packageRoot.ts';

const FOLDER = path.join(packageRoot(), 'src', 'engine', 'runtime', 'cuda');

describe('lstm.ptx', () => {
  const source = readFileSync(path.join(FOLDER, 'lstm.cu'), 'utf8');
  const ptx = readFileSync(path.join(FOLDER, 'lstm.ptx'), 'latin1');

  it('is what the compiler made of the present source', () => {
    const [head = ''] = ptx.split('\n', 1);
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const made = `lstm.cu sha256 ${sha256(source)}, text below sha256 ${sha256(ptx.slice(head.length + 1))}, `;
    expect(head, 'after a change of lstm.cu, run npm run build:cuda').to.include(made);
  });

  it('has a kernel for each entry of the source', () => {
    const entriesOf = (macro: string, name: (sizes: string[]) => string): string[] =>
      [...source.matchAll(new RegExp(`^${macro}\\(([\\d, ]+)\\)$`, 'gm'))].map(([, sizes]) => name(sizes!.split(', ')));
    const wanted = [
      ...entriesOf('ENTRY', ([units, columns]) => `trunk_h${units}_x${columns}`),
      ...entriesOf('TRAINED', ([units, columns]) => `summary_h${units}_x${columns}`),
      ...entriesOf('GRADIENT', ([units]) => `gradient_h${units}`),
      'weightGradients',
      'sumRows',
    ];
    const kernels = [...ptx.matchAll(/^\.visible \.entry (\w+)\(/gm)].map(([, name]) => name);
    expect(wanted).to.have.length.greaterThan(20);
    expect(kernels).to.have.members(wanted);
  });
});
