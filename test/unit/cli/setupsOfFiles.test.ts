import { expect } from 'chai';
import { seenInTraining, touches } from '../../../src/cli/files/seenInTraining.ts';
import { setupsText } from '../../../src/cli/files/usefulSetups.ts';
import { dayFingerprints } from '../../../training/data/dayFingerprints.ts';
import type { ModelManifest } from '../../../src/engine/model/ModelManifest.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../../../src/ticks/TickSeries.ts';

const DAY_US = 86_400e6;

describe('what doctor says about a version and a file', () => {
  const days = [0, 1, 2].map((day) => syntheticTicks({ seed: day, count: 300, startUs: (20_000 + day) * DAY_US }));
  const joined = (...parts: TickSeries[]): TickSeries => ({
    timesUs: Float64Array.from(parts.flatMap(({ timesUs }) => [...timesUs])),
    prices: Float64Array.from(parts.flatMap(({ prices }) => [...prices])),
  });
  const trainedOn = joined(days[0], days[1]);
  const version = (data: readonly object[]): ModelManifest => ({ lineage: { data } }) as unknown as ModelManifest;
  const span = { fileSha256: 'a', fromUs: trainedOn.timesUs[0], toUs: trainedOn.timesUs.at(-1)!, days: dayFingerprints(trainedOn) };

  it('finds ticks of the training by day in any file, and the windows with such ticks', async () => {
    const series = joined(days[1], days[2]);
    const seen = await seenInTraining({ sha256: 'b', series }, version([span]));
    expect(seen).to.deep.equal([{ fromUs: days[1].timesUs[0], toUs: days[1].timesUs.at(-1) }]);
    expect([series, days[1], days[2], joined(days[0])].map((window) => touches(seen, window))).to.deep.equal([true, true, false, false]);
    expect(await seenInTraining({ sha256: 'b', series: days[2] }, version([span]))).to.deep.equal([]);
    expect(await seenInTraining({ sha256: 'a', series }, version([]))).to.deep.equal([]);
  });

  it('names them with the set-ups', () => {
    expect(setupsText('mine', [], true)).to.include('mine was trained on ticks of this file');
    expect(setupsText('mine', [], false)).to.not.include('trained');
  });

  it('says which horizons clear the spread, and how often marks came true', () => {
    const known = {
      ticks: 500,
      noWindow: null,
      windows: 40,
      thresholdBps: [1, 2, 3] as const,
      cut: 0.4,
      reason: null,
      medianMoveBps: 6,
      isSeen: false,
    };
    const setups = [
      { ...known, horizonS: 60, marks: 8, hits: 3, scored: 7 },
      { ...known, horizonS: 300, marks: 0, hits: 0, scored: 0, medianMoveBps: 14 },
    ];
    const text = setupsText('mine', setups, false, 13);
    expect(text).to.include('median move 6 bps; 8 of 40 windows marked, 3 of 7 came true (90 % interval 19 to 71 %)');
    expect(text).to.include('0 of 40 windows marked, from').and.include('Spread: 13 bps. The median move exceeds it at 5m;');
    expect(setupsText('mine', setups, false, 14)).to.include('At none of these horizons does the median move exceed it');
    expect(setupsText('mine', setups, false)).to.not.include('Spread');
  });
});
