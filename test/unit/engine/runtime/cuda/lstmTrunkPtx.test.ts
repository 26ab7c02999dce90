import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../../../src/core/packageRoot.ts';

const FOLDER = path.join(packageRoot(), 'src', 'engine', 'runtime', 'cuda');

describe('lstmTrunk.ptx', () => {
  const source = readFileSync(path.join(FOLDER, 'lstmTrunk.cu'));
  const ptx = readFileSync(path.join(FOLDER, 'lstmTrunk.ptx'), 'latin1');

  it('was compiled from the present source', () => {
    const [head = ''] = ptx.split('\n');
    const sha256 = createHash('sha256').update(source).digest('hex');
    expect(head, 'after a change of lstmTrunk.cu, run npm run build:cuda').to.include(`lstmTrunk.cu sha256 ${sha256}, `);
  });

  it('has a kernel for each entry of the source', () => {
    const wanted = [...source.toString().matchAll(/^ENTRY\((\d+), (\d+)\)$/gm)].map(([, units, columns]) => `trunk_h${units}_x${columns}`);
    const kernels = [...ptx.matchAll(/^\.visible \.entry (\w+)\(/gm)].map(([, name]) => name);
    expect(wanted).to.have.length.greaterThan(0);
    expect(kernels).to.have.members(wanted);
  });
});
