import { CONE_LEVELS } from '../chart/ranges.ts';
import { askEngine, isServed } from '../replay/askEngine.ts';
import { findSetups } from '../replay/findSetups.ts';
import { replayOrigins } from '../replay/replayOrigins.ts';
import { replayResults } from '../replay/replayResults.ts';
import { writeReplayCsv } from '../replay/writeReplayCsv.ts';
import { ReplayRun, type ReplayParts, type ReplayPlan, type ReplayProgress } from '../replay/ReplayRun.ts';
import { forecastBatch } from '../service/forecastBatch.ts';
import type { Thresholds } from '../Thresholds.ts';
import { buildBody } from '../ticks/readFuture.ts';
import { ticksUpTo } from '../ticks/TickSeries.ts';
import { failureData, type FailureData } from './failureData.ts';
import type {
  ConnectOrder,
  EngineOrder,
  ForecastOrder,
  FromReplayWorker,
  ReplayOrder,
  SetupsOrder,
  ToReplayWorker,
} from './replayMessages.ts';
import { loadEngine } from './loadEngine.ts';
import type { PageEngine } from './openPageEngine.ts';
import { waitMs } from './waitMs.ts';

/** The part of a dedicated worker's scope that is used here; the DOM types of the page lack it. */
type Scope = {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToReplayWorker>) => void): void;
  postMessage(message: FromReplayWorker): void;
};
const scope = globalThis as unknown as Scope;

const RESULTS_MS = 600;

let runs: readonly ReplayRun[] = [];

async function start({ versions, key, series, count, horizonMs, ...thresholds }: ReplayOrder): Promise<void> {
  const plan = { series, origins: replayOrigins(series, count, horizonMs), count, horizonMs };
  const all = versions.map((): ReplayProgress => ({ done: 0, of: plan.origins.length, waitMs: null }));
  const asks = await askersOf(versions, key);
  if (asks === null) return;
  const startMs = performance.now();
  let shownMs = startMs;
  const seconds = (): number => (performance.now() - startMs) / 1000;
  const tell = (): void => {
    const waits = all.flatMap((each) => each.waitMs ?? []);
    const sum = (of: 'done' | 'of'): number => all.reduce((total, each) => total + each[of], 0);
    const progress = { done: sum('done'), of: sum('of'), waitMs: waits.length === 0 ? null : Math.max(...waits) };
    scope.postMessage({ kind: 'progress', progress, seconds: seconds() });
    if (performance.now() - shownMs < RESULTS_MS) return;
    showResults(false);
    shownMs = performance.now();
  };
  const showResults = (isEnd: boolean): void =>
    scope.postMessage({ kind: 'results', results: replayResults(runs[0]!.windows, runs[1]?.windows, isEnd, { horizonMs, ...thresholds }) });
  runs = asks.map(
    (ask, at) =>
      new ReplayRun(plan, {
        ask: ask({ ...plan, ...thresholds }),
        wait: waitMs,
        onProgress: (progress) => {
          all[at] = progress;
          tell();
        },
      }),
  );
  tell();
  const failure = await failureOf(Promise.all(runs.map((run) => run.run())));
  for (const run of runs) run.stop();
  showResults(true);
  const windows = runs.reduce((sum, run) => sum + run.windows.length, 0);
  scope.postMessage({ kind: 'ended', windows, csv: writeReplayCsv(runs[0]!.windows, series.prices), seconds: seconds(), failure });
}

async function setups({ version, series, key, costBps, ...order }: SetupsOrder): Promise<void> {
  const startMs = performance.now();
  const asks = await askersOf([order], key);
  if (asks === null) return;
  const finding = findSetups(series, version, {
    askOf: (window) => asks[0]!({ series, ...window }),
    wait: waitMs,
    costBps,
    onSetup: (setup, rows) => scope.postMessage({ kind: 'setup', setup, rows }),
  });
  const failure = await failureOf(finding);
  scope.postMessage({ kind: 'ended', windows: 0, csv: '', seconds: (performance.now() - startMs) / 1000, failure });
}

type Windows = Pick<ReplayPlan, 'series' | 'count' | 'horizonMs'> & Thresholds;
type Asker = (windows: Windows) => ReplayParts['ask'];

/**
 * Who answers the windows: the engine of the page where it gives the answers of the service for all versions, else the service. Tells the page; null where
 * there is no key for the service.
 */
async function askersOf(versions: ReplayOrder['versions'], key: string | null): Promise<readonly Asker[] | null> {
  const engines: PageEngine[] = [];
  for (const version of versions) {
    const engine = await openServed(version);
    if (engine !== null) engines.push(engine);
  }
  const isOfPage = engines.length === versions.length;
  if (!isOfPage && key === null) {
    scope.postMessage({ kind: 'no_key' });
    return null;
  }
  scope.postMessage({ kind: 'place', version: isOfPage ? engines.map(({ version }) => version).join(' and ') : null });
  if (isOfPage) return engines.map((engine) => (windows) => askEngine(engine, windows, nextTask));
  return versions.map(({ model }) => ({ series, count, horizonMs, ...thresholds }) => (origins, signal) => {
    const bodies = origins.map((origin) => buildBody({ series: ticksUpTo(series, origin, count), horizonMs }));
    return forecastBatch(bodies, { ...thresholds, model, key: key!, signal, hasBars: series.bars !== undefined });
  });
}

/** The engine opened last, for the next forecast of the same version. */
let opened: { readonly order: EngineOrder; readonly engine: Promise<PageEngine> } | undefined;

const isSameFiles = (a: EngineOrder['files'], b: EngineOrder['files']): boolean =>
  ['manifest.json', 'rules.json'].every((name) => a?.[name] === b?.[name]);

/** Null where another version or other rules answer at the service, or the browser cannot run the engine. */
async function openServed(order: EngineOrder): Promise<PageEngine | null> {
  const { engineUrl, served, files } = order;
  if (served === null) return null;
  try {
    if (opened === undefined || !isSameFiles(opened.order.files, files))
      opened = { order, engine: loadEngine(engineUrl).then(({ openPageEngine }) => openPageEngine(files)) };
    const engine = await opened.engine;
    return isServed(engine, served) ? engine : null;
  } catch {
    opened = undefined;
    return null;
  }
}

async function forecast({ id, window, minMoveBps, minProbability, ...order }: ForecastOrder): Promise<void> {
  const engine = await openServed(order);
  try {
    const none = opened === undefined ? null : 'other_version';
    const made = engine === null ? none : await engine.forecast(window, { minMoveBps, minProbability, range: CONE_LEVELS });
    scope.postMessage({ kind: 'forecast', id, forecast: made });
  } catch (error) {
    scope.postMessage({ kind: 'failure', id, failure: failureData(error) });
  }
}

let receive: (text: string) => void = () => {};

async function connect(order: ConnectOrder): Promise<void> {
  const engine = await openServed(order);
  if (engine !== null) receive = engine.connect((text) => scope.postMessage({ kind: 'live', text }));
  scope.postMessage({ kind: 'connected', version: engine?.version ?? null });
}

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Null where the work was done. */
const failureOf = (work: Promise<unknown>): Promise<FailureData | null> => work.then(() => null, failureData);

scope.addEventListener('message', ({ data }) => {
  if (data.kind === 'start') void start(data);
  else if (data.kind === 'setups') void setups(data);
  else if (data.kind === 'forecast') void forecast(data);
  else if (data.kind === 'connect') void connect(data);
  else if (data.kind === 'live') receive(data.text);
  else for (const run of runs) run[data.kind]();
});
