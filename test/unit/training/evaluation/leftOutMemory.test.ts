import { expect } from 'chai';
import { readSettings } from '../../../../src/core/config/settings.ts';
import { type ReplayedWindow, replayTicks } from '../../../../src/engine/forecast/replayTicks.ts';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import { openLocalForecaster } from '../../../../src/service/app/openLocalForecaster.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { leftOutMemory } from '../../../../training/evaluation/leftOutMemory.ts';

const SHIPPED = 'models/base-2026-11-27';

describe('leftOutMemory', () => {
  it('changes the predictions of windows alone as the service does with the memory of their series', async () => {
    const series = syntheticTicks({ seed: 3, count: 40_000, medianGapMs: 2500 });
    const { forecaster, close } = await openLocalForecaster({ ...readSettings({}), model: '' });
    const replay = async (memory: object): Promise<ReplayedWindow[]> => {
      const windows: ReplayedWindow[] = [];
      const options = { ticks: 500, horizonUs: 300e6, everyUs: 301e6, ...memory };
      for await (const window of replayTicks(forecaster, series, options)) windows.push(window);
      return windows.filter(({ probability, outcome }) => probability !== null && typeof outcome === 'number');
    };
    const [alone, remembering] = [await replay({ memory: 'off' }), await replay({})];
    await close();
    const cell = {
      ...{ fileSha256: '', horizonS: 300 },
      originUs: Float64Array.from(alone, ({ timeUs }) => 1000 * Math.floor(timeUs / 1000)),
      probability: Float32Array.from(alone, ({ probability }) => probability!),
      theta: Float32Array.from(alone, ({ minMoveBps }) => minMoveBps! / 1e4),
    };
    const answers = leftOutMemory(series, cell, loadModelFolder(SHIPPED).memory!, 500);
    expect(answers).to.have.length(alone.length);
    expect(answers.at(-1)!.days).to.be.greaterThan(0);
    answers.forEach(({ history, y }, at) => {
      expect(history).to.be.closeTo(remembering[at].probability!, 1e-5);
      expect(y).to.equal(remembering[at].outcome);
    });
    expect(answers.filter(({ history }, at) => Math.abs(history - alone[at].probability!) > 0.01)).to.have.length.greaterThan(100);
  });
});
