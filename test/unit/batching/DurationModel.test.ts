import { expect } from 'chai';
import { chooseMaxBatch, predictWaitMs } from '../../../src/batching/batchPolicy.ts';
import { DurationModel } from '../../../src/batching/DurationModel.ts';
import { seededRandom } from '../../../src/core/Random.ts';

describe('DurationModel', () => {
  const random = seededRandom(1);
  const trained = (timeOf: (size: number) => number, count = 200): DurationModel => {
    const model = new DurationModel();
    for (let i = 0; i < count; i++) {
      const size = 1 + random.integer(32);
      model.learn({ size, ms: timeOf(size) });
    }
    return model;
  };

  it('knows nothing at first, and nothing of an empty batch', () => {
    expect(new DurationModel().expect(5)).to.equal(0);
    expect(trained((n) => 1 + n).expect(0)).to.equal(0);
  });

  it('finds a fixed part and a part for each item, also for sizes that it never saw', () => {
    const model = trained((n) => 0.5 + 0.1 * n);
    expect(model.expect(1)).to.be.closeTo(0.6, 1e-9);
    expect(model.expect(100)).to.be.closeTo(10.5, 1e-9);
  });

  it('is not moved by a pause in one batch of six', () => {
    let i = 0;
    const model = trained((n) => 0.5 + 0.1 * n + (i++ % 6 === 0 ? 80 : 0));
    expect(model.expect(10)).to.be.within(1.4, 1.8);
  });

  it('follows a machine that became slower within some thirty batches', () => {
    const model = trained((n) => 0.1 * n);
    for (let i = 0; i < 40; i++) model.learn({ size: 1 + (i % 8), ms: 0.4 * (1 + (i % 8)) });
    expect(model.expect(10)).to.be.closeTo(4, 0.2);
  });

  it('gives each item its share where all batches were of one size, and never less than nothing', () => {
    const model = new DurationModel(Array.from({ length: 9 }, () => ({ size: 4, ms: 2 })));
    expect(model.expect(8)).to.equal(4);
    const falling = new DurationModel([
      { size: 1, ms: 5 },
      { size: 8, ms: 1 },
    ]);
    expect(falling.expect(32)).to.be.above(0);
  });
});

describe('chooseMaxBatch', () => {
  it('takes the size beyond which no other is worth its way', () => {
    const curve = [1, 8, 32, 64].map((size) => ({ size, ms: 0.3 + 0.05 * size }));
    expect(chooseMaxBatch(curve)).to.equal(64);
    expect(chooseMaxBatch([1, 8, 32, 64].map((size) => ({ size, ms: 0.14 * size })))).to.equal(1);
    expect(
      chooseMaxBatch([
        { size: 64, ms: 9 },
        { size: 1, ms: 0.3 },
        { size: 8, ms: 1 },
        { size: 32, ms: 4.2 },
      ]),
    ).to.equal(8);
    expect(chooseMaxBatch([])).to.equal(1);
  });
});

describe('predictWaitMs', () => {
  const expectMs = (size: number): number => (size === 0 ? 0 : 1 + size);
  it('adds what runs, the full batches before, and the one that it joins', () => {
    expect(predictWaitMs({ remainingMs: 0, countBefore: 0, maxBatch: 8 }, expectMs)).to.equal(2);
    expect(predictWaitMs({ remainingMs: 3, countBefore: 7, maxBatch: 8 }, expectMs)).to.equal(3 + 9);
    expect(predictWaitMs({ remainingMs: 3, countBefore: 17, maxBatch: 8 }, expectMs)).to.equal(3 + 2 * 9 + 3);
  });
});
