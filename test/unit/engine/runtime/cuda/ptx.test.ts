import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { packageRoot } from '../../../../../src/core/packageRoot.ts';

const FOLDER = path.join(packageRoot(), 'src', 'engine', 'runtime', 'cuda');

describe('lstm.ptx.gz', () => {
  const source = readFileSync(path.join(FOLDER, 'lstm.cu'), 'utf8');
  const ptx = gunzipSync(readFileSync(path.join(FOLDER, 'lstm.ptx.gz'))).toString('latin1');

  it('is what the compiler made of the present source', () => {
    const [head = ''] = ptx.split('\n', 1);
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const made = `lstm.cu sha256 ${sha256(source)}, text below sha256 ${sha256(ptx.slice(head.length + 1))}, `;
    expect(head, 'after a change of lstm.cu, run npm run build:cuda').to.include(made);
  });

  it('has a kernel for each entry of the source', () => {
    const wanted = [...source.matchAll(/^extern "C" __global__ void __launch_bounds__\([^)]+\)\s+(\w+)\(/gm)].map(([, name]) => name);
    const kernels = [...ptx.matchAll(/^\.visible \.entry (\w+)\(/gm)].map(([, name]) => name);
    expect(wanted).to.have.length(5);
    expect(kernels).to.have.members(wanted);
  });
});
