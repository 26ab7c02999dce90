import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { replayLive } from '../../../../src/cli/mcp/liveTool.ts';
import type { Forecaster, ForecastCall } from '../../../../src/engine/forecast/Forecaster.ts';
import type { TrainedSpan } from '../../../../src/engine/model/Lineage.ts';
import { readTickFile } from '../../../../src/ticks/import/streamTickFile.ts';
import type { TickRequest } from '../../../../src/ticks/parseTickRequest.ts';
import { fakeForecaster } from '../../../support/fakeForecaster.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const TICKS = 900;
const HALF = 1e-4;

describe('the tool live', () => {
  const folder = temporaryFolder();

  /** Quotes around 1 that are 2 bps apart up to the tick `wider`, and 4 bps from it on. */
  function fileOf(form: 'quotes' | 'trades', wider: number): string {
    const file = path.join(folder, `${form}-${wider}.csv`);
    const lines = Array.from({ length: TICKS }, (_, i) => {
      const [mid, half] = [1 + (i % 7) * 1e-4, i < wider ? HALF : 2 * HALF];
      const stamp = new Date(Date.UTC(2024, 0, 2) + i * 500).toISOString();
      return form === 'quotes' ? `${stamp},${mid - half},${mid + half}` : `${stamp},${mid}`;
    });
    writeFileSync(file, [form === 'quotes' ? 'timestamp,bid,ask' : 'timestamp,price', ...lines, ''].join('\n'));
    return file;
  }

  async function asked(file: string, args: object): Promise<{ spread: number | undefined; minMoveBps: unknown }[]> {
    return (await replayed(file, args)).all;
  }

  /** What was asked, and the result; `data`: what the version was trained on. */
  async function replayed(file: string, args: object, data: readonly TrainedSpan[] = []) {
    const { forecaster, served: untrained } = fakeForecaster();
    const { manifest } = untrained;
    const served = { ...untrained, manifest: { ...manifest, lineage: { ...manifest.lineage, data } } };
    const all: { spread: number | undefined; minMoveBps: unknown }[] = [];
    const forecast = (request: TickRequest, options: ForecastCall) => {
      all.push({ spread: request.spreadBps?.(), minMoveBps: options.minMoveBps });
      return forecaster.forecast(request, options);
    };
    const models = { defaultId: 'fake', find: () => served, hold: () => undefined, list: () => [served] };
    const open = async () => ({ forecaster: { forecast } as unknown as Forecaster, models });
    return { all, result: await replayLive({ file, horizons: ['10s'], ...args }, open) };
  }

  it('knows the spread of each window of quotes, and compares a move with it where the threshold is cost', async () => {
    const all = await asked(fileOf('quotes', 400), { min_move_bps: 'cost' });
    const [first, last] = [all[0], all.at(-1)!];
    expect([first.minMoveBps, last.minMoveBps]).to.deep.equal(['cost', 'cost']);
    expect(first.spread).to.be.closeTo(2, 0.01);
    expect(last.spread).to.be.closeTo(4, 0.01);
    expect((await asked(fileOf('quotes', 400), { ticks: 240 })).map(({ spread }) => Math.round(spread!)))
      .to.include(4)
      .and.not.include(2);
  });

  it('says whether the version was trained on these ticks', async () => {
    const file = fileOf('quotes', 400);
    const { timesUs } = (await readTickFile(file)).series;
    const fileSha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    const span = { name: 'a', group: 'a', fileSha256, by: 'fake', fromUs: timesUs[0], toUs: timesUs[300], days: [] };
    const cases = [
      [[span], {}, true],
      [[span], { ticks: 500 }, false],
      [[], {}, false],
    ] as const;
    for (const [data, args, seen] of cases) expect((await replayed(file, args, data)).result).to.include({ seen_in_training: seen });
  });

  it('has no spread for prices, and refuses cost for them', async () => {
    const file = fileOf('trades', TICKS);
    expect((await asked(file, {})).every(({ spread }) => spread === undefined)).to.equal(true);
    const refused = await asked(file, { min_move_bps: 'cost' }).catch((error: { code: string }) => error.code);
    expect(refused).to.equal('request.invalid');
  });
});
