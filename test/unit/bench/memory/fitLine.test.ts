import { expect } from 'chai';
import { fitLine, lineLogit } from '../../../../bench/memory/fitLine.ts';
import { packRows, type ScoredRow } from '../../../../bench/memory/ScoredRows.ts';
import { seededRandom } from '../../../../src/core/Random.ts';
import { MEMORY_INPUTS } from '../../../../src/engine/memory/memoryInputs.ts';
import { sigmoid } from '../../../../training/metrics/logistic.ts';

const COUNT = 40_000;

/** Outcomes that follow a line of hour and cal; the other inputs are noise. */
function planted(slope: number, intercept: number, hour: number, cal: number): Parameters<typeof fitLine> {
  const random = seededRandom(3);
  const inputs = MEMORY_INPUTS.map(() => Float32Array.from({ length: COUNT }, () => 2 * random.uniform() - 1));
  const rows = Array.from({ length: COUNT }, (_, row): ScoredRow => {
    const base = 3 * random.uniform() - 3;
    const p = sigmoid(slope * base + intercept + hour * inputs[0]![row]! + cal * inputs[2]![row]!);
    return { of: 0, originUs: row, horizonS: 60, draw: 0, theta: 1, sigma: 1, ewma: base, base, move: random.uniform() < p ? 2 : 0 };
  });
  const made = { inputs, weight: new Float32Array(COUNT).fill(1), outcomes: new Float32Array(COUNT) };
  return [
    packRows([{ name: 'a', files: [], group: 'a' }], rows),
    made,
    Int32Array.from({ length: COUNT }, (_, row) => row),
    ['hour', 'day', 'cal'],
  ];
}

describe('fitLine', () => {
  it('finds a planted line, and gives an input of noise no weight', () => {
    const [rows, made, members, used] = planted(0.8, -0.2, 0.6, 0.3);
    const { slope, intercept, weights } = fitLine(rows, made, members, used);
    expect(slope).to.be.closeTo(0.8, 0.05);
    expect(intercept).to.be.closeTo(-0.2, 0.07);
    expect(weights.hour).to.be.closeTo(0.6, 0.07);
    expect(weights.cal).to.be.closeTo(0.3, 0.07);
    expect(weights.day).to.be.below(0.06);
    const inputs = made.inputs.map((values) => values[5]!);
    const base = rows.base[5]!;
    expect(lineLogit({ slope, intercept, weights }, rows, made, 5)).to.be.closeTo(
      slope * base + intercept + weights.hour! * inputs[0]! + weights.day! * inputs[1]! + weights.cal! * inputs[2]!,
      1e-9,
    );
  });

  it('keeps every weight within its bounds', () => {
    const { slope, weights } = fitLine(...planted(2, 0, 3, -1));
    expect([slope, weights.hour, weights.cal]).to.deep.equal([1.1, 1, 0]);
  });
});
