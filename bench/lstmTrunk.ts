import { enableRelaxedSimd } from '../src/engine/runtime/enableRelaxedSimd.ts';
import { instantiateLstmModule } from '../src/engine/runtime/lstm/lstmModule.ts';
import type { LstmCall } from '../src/engine/runtime/lstm/LstmProgram.ts';
import { openTrunkProgram } from '../src/engine/runtime/lstm/openTrunkProgram.ts';
import { wave } from '../src/engine/runtime/lstm/probeLstm.ts';
import { SimdLstmProgram } from '../src/engine/runtime/lstm/SimdLstmProgram.ts';
import type { Bench } from './Bench.ts';
import { measure } from './measure.ts';

const [STEPS, COLUMNS, UNITS, CONTEXT, OUTPUTS] = [96, 10, 48, 71, 48];
const ROWS = [1, 2, 8, 32];

function callOf(batch: number): LstmCall {
  return {
    ...{ batch, steps: STEPS, columns: COLUMNS, units: UNITS },
    x: wave(batch * STEPS * COLUMNS, 0.7),
    kernel: wave(COLUMNS * 4 * UNITS, 1.3).map((value) => value / 4),
    recurrentKernel: wave(UNITS * 4 * UNITS, 2.1).map((value) => value / 4),
    bias: wave(4 * UNITS, 0.4).map((value) => value / 4),
    ...{ returnSequences: true, weightIds: [{}, {}, {}], tapeId: 0 },
  };
}

export const bench: Bench = {
  name: 'lstmTrunk',
  about: `LSTM, attention and trunk that serve, T=${STEPS} F=${COLUMNS} H=${UNITS}: fused multiply and add (relaxed SIMD) compared with the strict module that trains.`,
  async run() {
    enableRelaxedSimd();
    const strict = new SimdLstmProgram(await instantiateLstmModule());
    const serving = await openTrunkProgram(strict);
    if (serving === strict) throw new Error('This Node.js has no relaxed SIMD: there is nothing to compare.');
    const weights = { attention: wave(UNITS, 1.7), kernel: wave((2 * UNITS + CONTEXT) * OUTPUTS, 0.9), bias: wave(OUTPUTS, 0.5) };
    const rows = [];
    for (const batch of ROWS) {
      const call = callOf(batch);
      const rest = { ...weights, context: wave(batch * CONTEXT, 0.3) };
      const [value = NaN, peerValue = NaN] = (
        await measure([() => serving.forwardTrunk(call, rest), () => strict.forwardTrunk(call, rest)])
      ).map((us) => us / batch);
      rows.push({ what: `a row of ${batch}`, value, unit: 'us', peer: 'strict', peerValue, ratio: peerValue / value });
    }
    return rows;
  },
};
