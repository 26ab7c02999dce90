import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';
import { FUSED_LSTM_WASM } from '../../../src/runtime/fusedLstmWasm.ts';
import { instantiateLstmModule, type LstmModule } from '../../../src/runtime/lstmModule.ts';

describe('the SIMD module', () => {
  let module: LstmModule;
  before(async () => {
    module = await instantiateLstmModule();
    // It begins without memory: the program grows it to what a call needs.
    module.memory.grow(1);
  });

  const apply = (value: number, squash: boolean): number => {
    const lanes = new Float32Array(module.memory.buffer, 1024, 4).fill(value);
    module.gateFunctions(1024, squash ? 1 : 0);
    return lanes[3]!;
  };

  it('is what its name says, byte for byte', () => {
    const bytes = Buffer.from(FUSED_LSTM_WASM.base64, 'base64');
    expect(createHash('sha256').update(bytes).digest('hex')).to.equal(FUSED_LSTM_WASM.sha256);
  });

  it('comes out of its source again', () => {
    const script = path.join(packageRoot(), 'scripts/buildWasm.js');
    const built = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect(built.stdout + built.stderr).to.equal(`same: sha256 ${FUSED_LSTM_WASM.sha256}\n`);
  });

  it('has a sigmoid and a tanh within 2e-7 of the exact ones', () => {
    for (let x = -90; x <= 90; x += 0.037) {
      const single = Math.fround(x);
      expect(apply(single, false), `sigmoid(${single})`).to.be.closeTo(1 / (1 + Math.exp(-single)), 2e-7);
      expect(apply(single, true), `tanh(${single})`).to.be.closeTo(Math.tanh(single), 2e-7);
    }
  });

  it('ends at the limits of sigmoid and tanh, and keeps not-a-number', () => {
    expect([apply(Infinity, false), apply(Infinity, true), apply(-Infinity, true)]).to.deep.equal([1, 1, -1]);
    expect(apply(-Infinity, false)).to.be.within(0, 1e-30);
    expect([apply(NaN, false), apply(NaN, true)]).to.deep.equal([NaN, NaN]);
  });
});
