import { cpSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import type * as engines from '../../clients/engine/src/index.ts';
import { askEngine } from '../../src/console/replay/askEngine.ts';
import { replayOrigins } from '../../src/console/replay/ReplayRun.ts';
import { replayRecord } from '../../src/console/replay/replayRecord.ts';
import { ReplayRun } from '../../src/console/replay/ReplayRun.ts';
import type * as pages from '../../src/console/worker/openPageEngine.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { SeenTicksWriter } from '../../training/data/SeenTicksWriter.ts';
import { type AccountRig, startAccountService } from '../support/accountService.ts';
import { cliRun } from '../support/cliRun.ts';
import { LiveSocket } from '../support/liveSocket.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { writeTicks } from '../support/writeTicks.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const COUNT = 500;
const HORIZON_MS = 10_000;
const ALL = syntheticTicks({ seed: 46, count: 6000 });
const part = (from: number, to: number): TickSeries => ({ timesUs: ALL.timesUs.slice(from, to), prices: ALL.prices.slice(from, to) });
const TRAINED = part(0, 3000);
const FRESH = part(3000, 6000);
const SPAN = {
  ...{ name: 'a', group: 'a', fileSha256: '0'.repeat(64), by: 'mine', days: [] },
  ...{ fromUs: ALL.timesUs[0], toUs: ALL.timesUs[5999] },
};

type Built = Pick<typeof engines, 'openEngine'> & Pick<typeof pages, 'openPageEngine'>;
const last = (ticks: TickSeries): TickSeries => ({ timesUs: ticks.timesUs.slice(-COUNT), prices: ticks.prices.slice(-COUNT) });
const bodyOf = ({ timesUs, prices }: TickSeries) => ({
  Timestamp: Array.from(timesUs, (us) => formatTimestamp(us)),
  Price: [...prices],
});
const isNoted = (notes: readonly string[] | undefined): boolean => notes?.includes('seen_in_training') === true;
const areNoted = (forecasts: readonly { readonly notes?: readonly string[] | undefined }[]): boolean[] =>
  forecasts.map(({ notes }) => isNoted(notes));

describe('ticks that the version was trained on', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const models = path.join(folder, 'models');
  let built: Built;
  let rig: AccountRig;
  let key = '';

  before(async () => {
    const writer = new SeenTicksWriter();
    writer.add(TRAINED, { fromUs: 0, toUs: Infinity });
    const lineage = { kind: 'base', parent: null, code: 'test', seed: 1, data: [SPAN] } as const;
    await saveSmallModel(models, 'mine', { lineage }, 7, {}, writer.json());
    cpSync(path.join(ROOT, 'rules'), path.join(folder, 'rules'), { recursive: true });
    const code = path.join(folder, 'built.mjs');
    const contents =
      "export { openEngine } from './clients/engine/src/index.ts'; export { openPageEngine } from './src/console/worker/openPageEngine.ts';";
    await build({
      ...{ stdin: { contents, resolveDir: ROOT }, outfile: code, external: ['./shipped.js'] },
      ...{ bundle: true, format: 'esm', platform: 'browser', logLevel: 'error' },
    });
    // As packages and pages have it.
    const { shippedVersion } = (await import(pathToFileURL(path.join(ROOT, 'bin/shippedVersion.js')).href)) as {
      shippedVersion(root: string): string;
    };
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(folder, 'shipped.js'), shippedVersion(folder));
    built = (await import(pathToFileURL(code).href)) as Built;
    rig = await startAccountService({ env: { DATA_DIR: folder } } as never, { MODELS_DIR: models, MODEL: 'mine' });
    key = String((await rig.signUp('seen@example.com')).json['api_key']);
  });
  after(async () => {
    await rig?.close();
  });

  const fileOf = (ticks: TickSeries): string => {
    const file = path.join(folder, `${ticks.timesUs[0]}.csv`);
    writeTicks(file, ticks);
    return file;
  };
  const command = async (...argv: string[]): Promise<Record<string, unknown>> => {
    const { out, err, code } = await cliRun({ DATA_DIR: folder, MODELS_DIR: models, MODEL: 'mine' }, ...argv, '--json');
    expect(code, err).to.equal(0);
    return JSON.parse(out) as Record<string, unknown>;
  };
  /** Whether each forecast of these ticks says so. */
  const places: Record<string, (ticks: TickSeries) => Promise<readonly boolean[]>> = {
    'a forecast of the page': async (ticks) => {
      const engine = await built.openPageEngine();
      return [isNoted((await engine.forecast({ series: last(ticks), horizonMs: HORIZON_MS }, {})).detail.input.notes)];
    },
    'a replay of the page': async (series) => {
      const plan = { series, origins: replayOrigins(series, COUNT, HORIZON_MS), count: COUNT, horizonMs: HORIZON_MS };
      const ask = askEngine(await built.openPageEngine(), { ...plan, options: {} }, () => Promise.resolve());
      const run = new ReplayRun(plan, { ask, wait: () => Promise.resolve(), onProgress: () => {} });
      await run.run();
      const { counted, windows } = replayRecord(run.windows, HORIZON_MS);
      expect(windows).to.be.above(10);
      expect(counted > 0).to.equal(run.windows.some(({ isSeen }) => !isSeen));
      return run.windows.map(({ isSeen }) => isSeen);
    },
    'a stream of the page': async (ticks) => {
      const told: { type: string; notes?: string[] }[] = [];
      const send = (await built.openPageEngine()).connect((text) => told.push(JSON.parse(text) as (typeof told)[number]));
      for (const message of stream(ticks)) send(JSON.stringify(message));
      await until(() => told.some(({ type }) => type === 'score'));
      return areNoted(told.filter(({ type }) => type === 'forecast'));
    },
    'a forecast of the engine': async (ticks) => {
      const engine = await built.openEngine();
      return [isNoted((await engine.forecast(last(ticks), { horizon: '10s' })).detail.input.notes)];
    },
    'a replay of the engine': async (ticks) => {
      const found = [];
      for await (const window of (await built.openEngine()).replay(ticks, { horizon: '10s', ticks: COUNT })) found.push(window);
      return found.map(({ seen_in_training: isSeen }) => isSeen);
    },
    'a request': async (ticks) => {
      const { timesUs } = ticks;
      const body = bodyOf(last(ticks));
      body.Timestamp.push(formatTimestamp(timesUs.at(-1)! + HORIZON_MS * 1000));
      body.Price.push(0);
      const { json } = await rig.withKey(key, '/auth/ti-tick?answer=last&detail=full', { body });
      return [isNoted((json['detail'] as { input: { notes: string[] } }).input.notes)];
    },
    'a live series': async (ticks) => {
      const client = new LiveSocket(rig.service.url, { key });
      await client.opened;
      for (const message of stream(ticks)) client.send(message);
      await client.next('score');
      client.socket.terminate();
      return areNoted(client.of('forecast'));
    },
    'tickmark predict': async (ticks) => {
      const { detail } = await command('predict', fileOf(ticks), '--horizon', '10s', '--ticks', String(COUNT));
      return [isNoted((detail as { input: { notes: string[] } }).input.notes)];
    },
    'tickmark replay': async (ticks) => {
      const { record } = (await command('replay', fileOf(ticks), '--horizon', '10s', '--ticks', String(COUNT))) as never as {
        record: { counted: number; left: { trained_on?: number } };
      };
      const left = record.left.trained_on ?? 0;
      return Array.from({ length: left + record.counted }, (_, at) => at < left);
    },
  };

  for (const [place, seenOf] of Object.entries(places))
    it(`are named by ${place}, and others are not`, async () => {
      const [trained, fresh] = [await seenOf(TRAINED), await seenOf(FRESH)];
      expect(trained.length).to.be.above(0);
      expect(trained.filter((isSeen) => !isSeen)).to.have.length(0);
      expect(fresh.length).to.be.above(0);
      expect(fresh.filter((isSeen) => isSeen)).to.have.length(0);
    });
});

function stream(ticks: TickSeries): object[] {
  const { Timestamp, Price } = bodyOf(ticks);
  return [
    { type: 'open', series: 'a', memory: 'off', forecasts: [{ horizon: '10s', every: '5s' }] },
    { type: 'ticks', series: 'a', Timestamp, Price },
    { type: 'close', series: 'a' },
  ];
}
