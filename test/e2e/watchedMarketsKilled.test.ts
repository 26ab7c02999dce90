import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { MarketForecast } from '../../src/contract/markets.ts';
import { parseTimestampUs } from '../../src/ticks/timestamps.ts';
import { bundleScript } from '../support/bundleScript.ts';
import { makeStoreLocation, STORE_KINDS, type StoreLocation } from '../support/eachStore.ts';
import { LocalExchange } from '../support/LocalExchange.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { keepOutput } from '../support/serviceLogs.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { expectAll, forecastsOf, hasSeen, partOf, type AskMarkets } from '../support/watchedForecasts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const SYMBOL = 'BTCUSDT';
/** The ticks begin in the next hours: no forecast is made whose future has passed. */
const HOUR_US = 3_600_000_000;
const PROGRAM = await bundleScript('test/support/feedService.ts');
/** What the page promises. */
const TAKEN_OVER_MS = 10_000;

type Served = { readonly url: string; readonly child: ChildProcess; readonly ended: Promise<void>; isFeeding: boolean; hasLost: boolean };

for (const kind of STORE_KINDS)
  describe(`watched markets of processes that are killed: ${kind}`, function () {
    this.timeout(240_000);
    const folder = temporaryFolder();
    const ticks = walkTicks({ seed: 8, count: 1500, meanGapMs: 1000, startUs: HOUR_US * Math.ceil((Date.now() * 1000) / HOUR_US + 1) });
    let place: StoreLocation;
    let exchange: LocalExchange;
    let all: Served[];
    let key: string;

    before(() => saveSmallModel(folder, 'small'));
    beforeEach(async function () {
      place = await makeStoreLocation(kind, this);
      exchange = await new LocalExchange().listen();
      all = [];
    });
    afterEach(async () => {
      for (const { child } of all) child.kill('SIGKILL');
      await Promise.all(all.map(({ ended }) => ended));
      exchange.close();
      await place.dispose();
    });

    const serve = async (): Promise<Served> => {
      const env = {
        ...place.env,
        PORT: '0',
        METRICS_PORT: '0',
        MODEL: 'small',
        MODELS_DIR: folder,
        RUNTIME_BACKEND: 'wasm',
        LOG_FORMAT: 'json',
      };
      const child = spawn(process.execPath, [PROGRAM, String(exchange.port)], {
        env: { ...process.env, ...env, INFERENCE_PROCESS: 'false' },
      });
      keepOutput('a service with feeds', child);
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
      const url = new Promise<string>((resolve) => {
        createInterface({ input: child.stdout }).on('line', (line) => {
          if (line.startsWith('{"ready"')) resolve((JSON.parse(line) as { ready: string }).ready);
        });
      });
      const served = { url: '', child, ended, isFeeding: false, hasLost: false };
      createInterface({ input: child.stderr }).on('line', (line) => {
        served.isFeeding ||= line.includes('market feed begins');
        served.hasLost ||= line.includes('market feed ends') && line.includes('lost');
      });
      const failed = ended.then((): never => {
        throw new Error('the service ended before it was ready');
      });
      failed.catch(() => {});
      served.url = await Promise.race([url, failed]);
      all.push(served);
      return served;
    };
    const post = async ({ url }: Served, route: string, body: object): Promise<Record<string, string>> => {
      const headers = { 'Content-Type': 'application/json', 'Api-Key': key };
      return (await (await fetch(`${url}${route}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Record<
        string,
        string
      >;
    };
    const askOf =
      ({ url }: Served): AskMarkets =>
      async (route) =>
        (await fetch(`${url}/account/markets${route}`, { headers: { 'Api-Key': key } })).json();
    const watch = async (served: Served): Promise<string> => {
      key = '';
      const email = 'killed@example.com';
      key = (await post(served, '/signup', { email, password: 'correct horse 42', confirm_password: 'correct horse 42' }))['api_key'];
      const market = { exchange: 'binance', symbol: 'BTC/USDT', horizons: ['60s'], every: '30s', cost_bps: 2 };
      return (await post(served, '/account/markets', market))['id'];
    };

    /** The forecasts, once the last one of the ticks before `end` and all outcomes that they show are there. */
    const settled = async (served: Served, id: string, end = ticks.timesUs.length): Promise<MarketForecast[]> => {
      const lastUs = ticks.timesUs[end - 1];
      const timeOf = (stamp: string): number => parseTimestampUs(stamp);
      let all: MarketForecast[] = [];
      await until(async () => {
        all = await forecastsOf(askOf(served), id);
        const isMade = all.length > 0 && timeOf(all.at(-1)!.last_tick) > lastUs - 30e6;
        return isMade && all.every(({ future, outcome }) => outcome !== null || timeOf(future) + 1000 > lastUs);
      });
      return all;
    };
    /** What was told is there, each once, with the outcome that was told. */
    const expectKept = (told: readonly MarketForecast[], now: readonly MarketForecast[]): void => {
      const kept = new Map(now.map((forecast) => [forecast.n, forecast]));
      for (const { outcome, change, ...forecast } of told) {
        expect(kept.get(forecast.n)).to.deep.include(forecast);
        if (outcome !== null) expect(kept.get(forecast.n)).to.deep.include({ outcome, change });
      }
      expect(new Set(now.map(({ last_tick: stamp }) => stamp)).size).to.equal(now.length);
    };

    it('another process takes over within 10 s of a kill, and no forecast that was told is lost or made again', async () => {
      const pair = [await serve(), await serve()];
      const id = await watch(pair[0]);
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 700));
      await hasSeen(askOf(pair[1]), id, ticks, 700);
      const told = await expectAll(askOf(pair[1]), id, ticks, 700);
      await until(() => pair.some(({ isFeeding }) => isFeeding));
      const feeding = pair.filter(({ isFeeding }) => isFeeding);
      expect([feeding.length, exchange.connections.get(SYMBOL)]).to.deep.equal([1, 1]);
      const other = pair.find((one) => one !== feeding[0])!;
      const killedMs = performance.now();
      feeding[0].child.kill('SIGKILL');
      // Meanwhile, only the history of the exchange has the trades.
      exchange.trade(SYMBOL, partOf(ticks, 700, 800), false);
      await exchange.watched(SYMBOL, 2);
      expect(performance.now() - killedMs).to.be.below(TAKEN_OVER_MS);
      exchange.trade(SYMBOL, partOf(ticks, 800));
      await hasSeen(askOf(other), id, ticks);
      const after = await expectAll(askOf(other), id, ticks);
      const past = ({ outcome: _outcome, change: _change, ...forecast }: (typeof told)[number]): object => forecast;
      expect(after.slice(0, told.length).map(past)).to.deep.equal(told.map(past));
    });

    it('a process that stood still while another one took over writes and tells nothing when it goes on', async () => {
      const pair = [await serve(), await serve()];
      const id = await watch(pair[0]);
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 600));
      let told = await forecastsOf(askOf(pair[1]), id);
      await until(async () => (told = await forecastsOf(askOf(pair[1]), id)).length > 3);
      await until(() => pair.some(({ isFeeding }) => isFeeding));
      const first = pair.find(({ isFeeding }) => isFeeding)!;
      const other = pair.find((one) => one !== first)!;
      // Most likely within a commit: the ticks before are still being read.
      first.child.kill('SIGSTOP');
      exchange.trade(SYMBOL, partOf(ticks, 600, 700), false);
      await exchange.watched(SYMBOL, 2);
      exchange.trade(SYMBOL, partOf(ticks, 700, 900));
      let before = await settled(other, id, 900);
      expectKept(told, before);
      first.child.kill('SIGCONT');
      await until(() => first.hasLost);
      expect(await forecastsOf(askOf(other), id)).to.deep.equal(before);
      exchange.trade(SYMBOL, partOf(ticks, 900));
      [told, before] = [before, await settled(other, id)];
      expectKept(told, before);
    });
  });
