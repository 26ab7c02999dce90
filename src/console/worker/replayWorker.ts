import { findSetups } from '../replay/findSetups.ts';
import { replayOrigins } from '../replay/replayOrigins.ts';
import { replayResults } from '../replay/replayResults.ts';
import { writeReplayCsv } from '../replay/writeReplayCsv.ts';
import { ReplayRun, type ReplayProgress } from '../replay/ReplayRun.ts';
import { forecastBatch } from '../service/forecastBatch.ts';
import { Failure } from '../service/failureText.ts';
import type { FailureData, FromReplayWorker, ReplayOrder, SetupsOrder, ToReplayWorker } from './replayMessages.ts';
import { waitMs } from './waitMs.ts';

/** The part of a dedicated worker's scope that is used here; the DOM types of the page lack it. */
type Scope = {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToReplayWorker>) => void): void;
  postMessage(message: FromReplayWorker): void;
};
const scope = globalThis as unknown as Scope;

const RESULTS_MS = 600;

let runs: readonly ReplayRun[] = [];

async function start({ models, key, minMoveBps, minProbability, ...order }: ReplayOrder): Promise<void> {
  const { timesUs, prices, count, horizonMs } = order;
  const plan = { series: { timesUs, prices }, origins: replayOrigins(timesUs, count, horizonMs), count, horizonMs };
  const all = models.map((): ReplayProgress => ({ done: 0, of: plan.origins.length, waitMs: null }));
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
    scope.postMessage({ kind: 'results', results: replayResults(runs[0]!.windows, runs[1]?.windows, isEnd) });
  runs = models.map(
    (model, at) =>
      new ReplayRun(plan, {
        ask: (bodies, signal) => forecastBatch(bodies, { key, minMoveBps, minProbability, signal, model }),
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
  scope.postMessage({ kind: 'ended', windows, csv: writeReplayCsv(runs[0]!.windows, prices), seconds: seconds(), failure });
}

async function setups({ timesUs, prices, key, version }: SetupsOrder): Promise<void> {
  const startMs = performance.now();
  const finding = findSetups({ timesUs, prices }, version, {
    ask: (bodies, signal) => forecastBatch(bodies, { key, minMoveBps: null, signal }),
    wait: waitMs,
    onSetup: (setup) => scope.postMessage({ kind: 'setup', setup }),
  });
  const failure = await failureOf(finding);
  scope.postMessage({ kind: 'ended', windows: 0, csv: '', seconds: (performance.now() - startMs) / 1000, failure });
}

/** Null where the work was done. */
async function failureOf(work: Promise<unknown>): Promise<FailureData | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const failure = error instanceof Failure ? error : new Failure(String(error), { status: 500 });
    const { message, status, code, retryAfterS, requestId } = failure;
    return { message, status, code, retryAfterS, requestId };
  }
}

scope.addEventListener('message', ({ data }) => {
  if (data.kind === 'start') void start(data);
  else if (data.kind === 'setups') void setups(data);
  else for (const run of runs) run[data.kind]();
});
