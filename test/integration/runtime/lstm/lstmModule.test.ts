import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../../src/core/packageRoot.ts';
import { FUSED_LSTM_WASM, RELAXED_LSTM_WASM } from '../../../../src/engine/runtime/lstm/fusedLstmWasm.ts';
import { instantiateLstmModule, instantiateRelaxedLstmModule, type LstmModule } from '../../../../src/engine/runtime/lstm/lstmModule.ts';

describe('the SIMD modules', () => {
  it('have the declared hashes', () => {
    for (const { base64, sha256 } of [FUSED_LSTM_WASM, RELAXED_LSTM_WASM])
      expect(createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex')).to.equal(sha256);
  });

  it('are reproducible from their source', () => {
    const script = path.join(packageRoot(), 'scripts/buildWasm.js');
    const built = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    const wanted = `same: FUSED_LSTM_WASM ${FUSED_LSTM_WASM.sha256}, RELAXED_LSTM_WASM ${RELAXED_LSTM_WASM.sha256}\n`;
    expect(built.stdout + built.stderr).to.equal(wanted);
  });

  it('are two, because every supported Node.js has relaxed SIMD', async () => {
    expect(await instantiateRelaxedLstmModule()).to.not.equal(undefined);
    expect(RELAXED_LSTM_WASM.sha256).to.not.equal(FUSED_LSTM_WASM.sha256);
  });
});

for (const [name, instantiate] of [
  ['strict', instantiateLstmModule],
  ['relaxed', instantiateRelaxedLstmModule],
] as const)
  describe(`the ${name} SIMD module`, () => {
    let module: LstmModule;
    before(async () => {
      module = (await instantiate())!;
      // The memory is empty at first; the program grows it to the size that a call needs.
      module.memory.grow(1);
    });

    const apply = (value: number, squash: boolean): number => {
      const lanes = new Float32Array(module.memory.buffer, 1024, 4).fill(value);
      module.gateFunctions(1024, squash ? 1 : 0);
      return lanes[3];
    };

    it('has a sigmoid and a tanh within 2e-7 of the exact ones', () => {
      for (let x = -90; x <= 90; x += 0.037) {
        const single = Math.fround(x);
        expect(apply(single, false), `sigmoid(${single})`).to.be.closeTo(1 / (1 + Math.exp(-single)), 2e-7);
        expect(apply(single, true), `tanh(${single})`).to.be.closeTo(Math.tanh(single), 2e-7);
      }
    });

    it('saturates at the limits of sigmoid and tanh, and keeps NaN', () => {
      expect([apply(Infinity, false), apply(Infinity, true), apply(-Infinity, true)]).to.deep.equal([1, 1, -1]);
      expect(apply(-Infinity, false)).to.be.within(0, 1e-30);
      expect([apply(NaN, false), apply(NaN, true)]).to.deep.equal([NaN, NaN]);
    });
  });
