import { CONE_LEVELS } from '../chart/Scene.ts';
import { askEngine, isServed } from '../replay/askEngine.ts';
import { leadPlans } from '../replay/leadPlans.ts';
import { leadRow, thresholdName } from '../replay/leadTable.ts';
import { replayResults } from '../replay/replayResults.ts';
import { writeReplayCsv } from '../replay/ReplayedWindow.ts';
import { replayOrigins, ReplayRun, type ReplayParts, type ReplayPlan, type ReplayProgress } from '../replay/ReplayRun.ts';
import { forecastBatch } from '../service/forecastBatch.ts';
import type { FormOptions } from '../FormOptions.ts';
import { buildBody } from '../ticks/readFuture.ts';
import { ticksUpTo } from '../ticks/TickSeries.ts';
import { failureData } from '../service/failureText.ts';
import type { ConnectOrder, EngineOrder, ForecastOrder, FromReplayWorker, ReplayOrder, ToReplayWorker } from './replayMessages.ts';
import { loadEngine } from './loadEngine.ts';
import type { PageEngine } from './openPageEngine.ts';

/** The part of a dedicated worker's scope that is used here; the DOM types of the page lack it. */
type Scope = {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToReplayWorker>) => void): void;
  postMessage(message: FromReplayWorker): void;
};
const scope = globalThis as unknown as Scope;

const RESULTS_MS = 600;

let runs: readonly ReplayRun[] = [];

async function start({ versions, version, key, series, count, horizonMs, options }: ReplayOrder): Promise<void> {
  const plan = { series, origins: replayOrigins(series, count, horizonMs), count, horizonMs };
  const lead = version === null ? { plans: [], without: [] } : leadPlans(series, version, { ...plan, options });
  const asks = await askersOf(versions, key);
  if (asks === null) return;
  const startMs = performance.now();
  let shownMs = startMs;
  const seconds = (): number => (performance.now() - startMs) / 1000;
  const all: ReplayProgress[] = [];
  const tell = (): void => {
    const waits = all.flatMap((each) => each.waitMs ?? []);
    const sum = (of: 'done' | 'of'): number => all.reduce((total, each) => total + each[of], 0);
    const progress = { done: sum('done'), of: sum('of'), waitMs: waits.length === 0 ? null : Math.max(...waits) };
    scope.postMessage({ kind: 'progress', progress, seconds: seconds() });
    if (performance.now() - shownMs < RESULTS_MS) return;
    showResults(false);
    shownMs = performance.now();
  };
  const runOf = (ask: Asker, one: Windows & ReplayPlan): ReplayRun => {
    const at = all.push({ done: 0, of: one.origins.length, waitMs: null }) - 1;
    const onProgress = (progress: ReplayProgress): void => {
      all[at] = progress;
      tell();
    };
    return new ReplayRun(one, { ask: ask(one), wait: waitMs, onProgress });
  };
  const ofForm = asks.map((ask) => runOf(ask, { ...plan, options }));
  const others = lead.plans.map((one) => runOf(asks[0], one));
  runs = [...ofForm, ...others];
  let isEnd = false;
  const showResults = (isNewEnd: boolean): void => {
    // What is final is computed once.
    if (!isEnd)
      scope.postMessage({
        kind: 'results',
        results: replayResults(ofForm[0].windows, ofForm[1]?.windows, isNewEnd, { horizonMs, count, options }),
      });
    isEnd ||= isNewEnd;
  };
  tell();
  scope.postMessage({ kind: 'lead', rows: [], without: lead.without });
  const work = async (): Promise<void> => {
    await Promise.all(ofForm.map((run) => run.run()));
    showResults(true);
    for (const [at, run] of others.entries()) {
      await run.run();
      const one = lead.plans[at];
      scope.postMessage({ kind: 'lead', rows: [leadRow(one, thresholdName(one.options.minMoveBps), run.windows)], without: [] });
    }
  };
  const failure = await work().then(() => null, failureData);
  for (const run of runs) run.stop();
  showResults(true);
  const windows = runs.reduce((sum, run) => sum + run.windows.length, 0);
  scope.postMessage({ kind: 'ended', windows, csv: writeReplayCsv(ofForm[0].windows, series.prices), seconds: seconds(), failure });
}

type Windows = Pick<ReplayPlan, 'series' | 'count' | 'horizonMs'> & { readonly options: FormOptions };
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
  return versions.map(({ model }) => ({ series, count, horizonMs, options }) => (origins, signal) => {
    const bodies = origins.map((origin) => buildBody({ series: ticksUpTo(series, origin, count), horizonMs }));
    return forecastBatch(bodies, { options, model, key: key!, signal, hasBars: series.bars !== undefined });
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

async function forecast({ id, window, options, ...order }: ForecastOrder): Promise<void> {
  const engine = await openServed(order);
  try {
    const none = opened === undefined ? null : 'other_version';
    const made = engine === null ? none : await engine.forecast(window, { ...options, range: CONE_LEVELS });
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

/** Resolves after a time, or rejects with the reason of the signal. */
const waitMs = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

scope.addEventListener('message', ({ data }) => {
  if (data.kind === 'start') void start(data);
  else if (data.kind === 'forecast') void forecast(data);
  else if (data.kind === 'connect') void connect(data);
  else if (data.kind === 'live') receive(data.text);
  else for (const run of runs) run[data.kind]();
});
