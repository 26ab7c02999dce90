import { expect } from 'chai';
import type { LstmCall, LstmProgram } from '../../../../../src/engine/runtime/lstm/LstmProgram.ts';
import { instantiateLstmModule, instantiateRelaxedLstmModule, type LstmModule } from '../../../../../src/engine/runtime/lstm/lstmModule.ts';
import { LoopLstmProgram } from '../../../../../src/engine/runtime/lstm/LoopLstmProgram.ts';
import { probeCall, probeLstmProgram, wave } from '../../../../../src/engine/runtime/lstm/probeLstm.ts';
import { openTrunkProgram } from '../../../../../src/engine/runtime/lstm/openTrunkProgram.ts';
import { sequencesOf, SimdLstmProgram, type TrunkCall } from '../../../../../src/engine/runtime/lstm/SimdLstmProgram.ts';

const [CONTEXT_COLUMNS, OUTPUTS] = [7, 22];

/** Inputs of what follows the layer, for `rows` rows from `first` on. */
function trunkCall({ units }: LstmCall, first: number, rows: number): TrunkCall {
  return {
    context: wave((first + rows) * CONTEXT_COLUMNS, 0.3).subarray(first * CONTEXT_COLUMNS),
    attention: wave(units, 1.7),
    kernel: wave((2 * units + CONTEXT_COLUMNS) * OUTPUTS, 0.9),
    bias: wave(OUTPUTS, 0.5),
  };
}

const ones = (call: LstmCall): Float32Array => new Float32Array(call.batch * call.steps * call.units).fill(1);

for (const [name, instantiate] of [
  ['strict', instantiateLstmModule],
  ['relaxed', instantiateRelaxedLstmModule],
] as const)
  describe(`SimdLstmProgram on the ${name} module`, () => {
    const fresh = async (): Promise<SimdLstmProgram> => new SimdLstmProgram((await instantiate())!);

    it('passes the probe', async () => {
      probeLstmProgram(await fresh());
    });

    it('computes the same gradients from kept states as from a second forward pass', async () => {
      const call = { ...probeCall(), tapeId: 7 };
      const program = await fresh();
      program.forward(call);
      const kept = program.backward(call, ones(call)).kernel.slice();
      program.forward({ ...call, tapeId: 0, x: call.x.map((value) => -value) });
      expect(program.backward(call, ones(call)).kernel).to.deep.equal(kept);
      expect((await fresh()).backward(call, ones(call)).kernel).to.deep.equal(kept);
    });

    it('reads weights with new identities, and uses cached weights for known identities', async () => {
      const program = await fresh();
      const first = probeCall();
      const second: LstmCall = {
        ...first,
        kernel: first.kernel.map((value) => -value),
        weightIds: [{}, first.weightIds[1], first.weightIds[2]],
      };
      const [y1, y2] = [program.forward(first).slice(), program.forward(second).slice()];
      expect(y2).to.not.deep.equal(y1);
      expect(program.forward(first)).to.deep.equal(y1);
      expect(program.forward(second)).to.deep.equal(y2);
    });

    it('gives the same trunk for more rows than one pass as for each row alone', async () => {
      const program = await fresh();
      const [batch, { steps, columns }] = [67, probeCall()];
      const call: LstmCall = { ...probeCall(), batch, tapeId: 0, x: wave(batch * steps * columns, 0.7) };
      const together = program.forwardTrunk(call, trunkCall(call, 0, batch));
      expect(together.length).to.equal(batch * OUTPUTS);
      expect(together.some((value) => value > 0) && together.includes(0)).to.equal(true);
      for (const row of [0, 1, 63, 64, 66]) {
        const x = call.x.subarray(row * steps * columns, (row + 1) * steps * columns);
        const alone = program.forwardTrunk({ ...call, batch: 1, x }, trunkCall(call, row, 1));
        expect(together.subarray(row * OUTPUTS, (row + 1) * OUTPUTS), `row ${row}`).to.deep.equal(alone);
      }
    });

    it('runs a sequence once for all of its rows, also over more than one pass', async () => {
      const program = await fresh();
      const [batch, { steps, columns }] = [67, probeCall()];
      const call: LstmCall = { ...probeCall(), batch, tapeId: 0, x: wave(batch * steps * columns, 0.7) };
      const sequenceOf = Int32Array.from(Array.from({ length: batch }, (_, at) => Array<number>(1 + (at % 3)).fill(at)).flat());
      const shared = program.forwardTrunk(call, { ...trunkCall(call, 0, sequenceOf.length), sequenceOf });
      const x = new Float32Array(sequenceOf.length * steps * columns);
      sequenceOf.forEach((from, row) =>
        x.set(call.x.subarray(from * steps * columns, (from + 1) * steps * columns), row * steps * columns),
      );
      expect(sequencesOf(call, { sequenceOf }, 5, 9)).to.deep.equal(x.subarray(5 * steps * columns, 14 * steps * columns));
      expect(sequencesOf(call, {}, 5, 9)).to.deep.equal(call.x.subarray(5 * steps * columns, 14 * steps * columns));
      const copied = program.forwardTrunk({ ...call, batch: sequenceOf.length, x }, trunkCall(call, 0, sequenceOf.length));
      expect(shared).to.deep.equal(copied);
    });

    it('refuses a batch above 1 GiB and works afterwards', async () => {
      const program = await fresh();
      const call = probeCall();
      const y = program.forward(call).slice();
      // Only the sizes are read before the error.
      expect(() => program.forward({ ...call, batch: 64, steps: 2_000_000 }))
        .to.throw(/^FusedLSTM needs \d{4,} MiB for this batch; the limit is 1024\. Send fewer rows\.$/)
        .with.property('code', 'inference.failed');
      expect(program.forward(call)).to.deep.equal(y);
    });
  });

describe('openTrunkProgram', () => {
  const trunk = (program: SimdLstmProgram): Float32Array => {
    const call = { ...probeCall(), tapeId: 0, returnSequences: true };
    return program.forwardTrunk(call, trunkCall(call, 0, call.batch));
  };

  it('opens a separate program with the results of the strict one within 1e-6', async () => {
    const strict = new SimdLstmProgram(await instantiateLstmModule());
    const program = await openTrunkProgram(strict);
    expect(program).to.not.equal(strict);
    const [got, wanted] = [trunk(program), trunk(strict)];
    for (const [i, value] of wanted.entries()) expect(got[i]).to.be.closeTo(value, 1e-6);
  });

  it('returns the strict program if there is no other, or if the other one is wrong', async () => {
    const strict = new SimdLstmProgram(await instantiateLstmModule());
    expect(await openTrunkProgram(strict, () => Promise.resolve(undefined))).to.equal(strict);
    const broken = async (): Promise<LstmModule> => ({ ...(await instantiateLstmModule()), forward: () => {} });
    expect(await openTrunkProgram(strict, broken)).to.equal(strict);
  });
});

describe('probeLstmProgram', () => {
  const oracle = new LoopLstmProgram();

  it('reports a wrong output', () => {
    const wrong: LstmProgram = {
      forward: (call) => oracle.forward(call).map((value, index) => (index === 4 ? value + 1e-3 : value)),
      backward: (call, dy) => oracle.backward(call, dy),
    };
    expect(() => probeLstmProgram(wrong)).to.throw(/wrong output: .* at 4/);
  });

  it('reports a wrong gradient, also NaN', () => {
    const wrong: LstmProgram = {
      forward: (call) => oracle.forward(call),
      backward: (call, dy) => ({ ...oracle.backward(call, dy), bias: new Float32Array(4 * call.units).fill(NaN) }),
    };
    expect(() => probeLstmProgram(wrong)).to.throw(/wrong gradient of bias: NaN at 0/);
  });
});
