import { expect } from 'chai';
import { BARS_FORMAT, barHeadName, barHeadOf, type BarModel, readBarModel } from '../../../../src/engine/model/BarModel.ts';
import { MEMORY_FORMAT } from '../../../../src/engine/memory/memoryLine.ts';
import { BAR_MODEL } from '../../../support/fakeForecaster.ts';

const FILE = { format: BARS_FORMAT, ...BAR_MODEL, memory: { format: MEMORY_FORMAT, ...BAR_MODEL.memory } };
const head = BAR_MODEL.heads[0];
const withBaseline = (baseline: object): object => ({ ...FILE, heads: [{ ...head, baseline: { ...head.baseline, ...baseline } }] });

describe('BarModel', () => {
  it('is read from the file of a version', () => {
    expect(readBarModel(structuredClone(FILE))).to.deep.equal(BAR_MODEL);
  });

  it('is refused if its probability could rise with the threshold, or if it is not complete', () => {
    const faults: Record<string, object> = {
      '/heads/0 has a slope that is not above 0': withBaseline({ bends: [0.6, -2.1] }),
      '/heads/0 has a wrong number of weights': withBaseline({ bends: [0.6] }),
      '/heads must NOT have fewer than 1 items': { ...FILE, heads: [] },
      '/logThetaRatio does not contain 0': { ...FILE, logThetaRatio: [0.1, 1] },
      '/memory/slope must be >= 0.1': { ...FILE, memory: { ...FILE.memory, slope: 0 } },
      '/format must be equal to constant': { ...FILE, format: 'tickmark-bars/2' },
    };
    for (const [fault, value] of Object.entries(faults)) expect(readBarModel(value)).to.deep.equal({ fault });
    expect(readBarModel(withBaseline({ bends: [0.6, -1.9] }))).to.have.property('heads');
  });

  it('answers with the head of the nearest period, and then of the nearest horizon', () => {
    const heads = [
      [10, 60],
      [10, 1800],
      [300, 1800],
    ].map(([periodS, horizonS]) => ({ ...head, periodS: periodS!, horizonS: horizonS! }));
    const model: BarModel = { ...BAR_MODEL, heads };
    const named = (periodS: number, horizonS: number): string => barHeadName(barHeadOf(model, periodS * 1000, horizonS * 1000));
    expect([named(15, 75), named(30, 3600), named(60, 300), named(120, 7200)]).to.deep.equal(['10s/1m', '10s/30m', '5m/30m', '5m/30m']);
    expect(barHeadName({ periodS: 300, horizonS: 7200 })).to.equal('5m/2h');
  });
});
