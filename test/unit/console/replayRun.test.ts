import { expect } from 'chai';
import { replayOrigins } from '../../../src/console/replay/ReplayRun.ts';
import { windowOf } from '../../../src/console/replay/ReplayedWindow.ts';
import { ReplayRun, type ReplayProgress } from '../../../src/console/replay/ReplayRun.ts';
import { Failure } from '../../../src/console/service/failureText.ts';
import type { Forecast } from '../../../src/console/service/Service.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { replayOrigins as originsOfCommand } from '../../../src/engine/forecast/replayTicks.ts';

const HORIZON_MS = 10_000;
const COUNT = 200;
const series = syntheticTicks({ seed: 5, count: 9000 });
const origins = replayOrigins(series, COUNT, HORIZON_MS);
const plan = { series, origins, count: COUNT, horizonMs: HORIZON_MS };

/** A forecast whose probability names its window. */
const forecastOf = (origin: number): Forecast =>
  ({
    mark: null,
    detail: {
      opportunity: { probability: (series.prices[origin] % 1) / 2, decision_threshold: 0.5, min_move_bps: 2 },
      logit: { baseline: 0, network: 0, rules: 0, total: 0 },
      reasons: [{ code: 'below_threshold', text: '' }],
      input: { median_gap_ms: 100, notes: [] },
    },
  }) as unknown as Forecast;

/** The same of a version that was trained on its ticks. */
const seenForecast = (origin: number): Forecast => {
  const { mark, detail } = forecastOf(origin);
  return { mark, detail: { ...detail, input: { ...detail.input, notes: ['seen_in_training'] } } };
};

const limited = (retryAfterS: number | null): Failure => new Failure('limit', { status: 429, code: 'limit.exceeded', retryAfterS });

type Ask = (origins: readonly number[], call: number) => readonly (Forecast | Failure)[];

function runOf(answer: Ask, over: { wait?: (ms: number) => Promise<void>; onProgress?: (told: ReplayProgress) => void } = {}) {
  const sizes: number[] = [];
  const waits: number[] = [];
  let inFlight = 0;
  let most = 0;
  const run = new ReplayRun(plan, {
    ask: async (asked) => {
      most = Math.max(most, ++inFlight);
      const call = sizes.push(asked.length);
      await Promise.resolve();
      inFlight--;
      return answer(asked, call);
    },
    wait: async (ms) => {
      waits.push(ms);
      await over.wait?.(ms);
    },
    onProgress: over.onProgress ?? (() => {}),
  });
  return { run, sizes, waits, most: () => most };
}

describe('the windows of a replay', () => {
  it('are those of the command', () => {
    for (const horizonMs of [250, 10_000, 60_000])
      expect([...replayOrigins(series, COUNT, horizonMs)]).to.deep.equal([
        ...originsOfCommand(series, { ticks: COUNT, horizonUs: horizonMs * 1000, everyUs: (horizonMs + 1000) * 1000 }),
      ]);
  });

  it('are spread over the ticks where there are too many', () => {
    const some = replayOrigins(series, COUNT, HORIZON_MS, 10);
    expect(some).to.have.length(10);
    expect(some[0]).to.equal(origins[0]);
    expect(some[9]).to.be.above(origins[Math.floor(origins.length * 0.85)]);
  });

  it('are none of fewer ticks than a window takes', () => {
    expect(replayOrigins({ ...series, timesUs: series.timesUs.subarray(0, 199) }, COUNT, HORIZON_MS)).to.have.length(0);
  });
});

describe('windowOf', () => {
  it('does not count a window on ticks of the training, and keeps its move for the CSV', () => {
    const [origin] = origins;
    const [counted, seen] = [forecastOf, seenForecast].map((of) => windowOf(series, origin!, HORIZON_MS, of(origin!)));
    expect(counted).to.deep.include({ isSeen: false }).and.have.property('outcome').that.is.a('boolean');
    expect(seen).to.deep.equal({ ...counted, isSeen: true, outcome: 'trained_on' });
  });
});

describe('ReplayRun', () => {
  it('asks about every window once, in batches of at most 64, two in flight', async () => {
    const { run, sizes, most } = runOf((asked) => asked.map(forecastOf));
    expect(await run.run()).to.equal(true);
    expect(run.windows.map(({ origin }) => origin)).to.deep.equal([...origins]);
    expect(Math.max(...sizes)).to.equal(64);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(origins.length);
    expect(most()).to.equal(2);
    // The answer of each window is its own.
    for (const { origin, probability } of run.windows) expect(probability).to.equal((series.prices[origin] % 1) / 2);
  });

  it('waits as long as the limit of the key asks, and asks again for the windows that met it', async () => {
    const { run, sizes, waits } = runOf((asked, call) =>
      asked.map((origin, at) => (call === 1 && at >= 40 ? limited(12) : forecastOf(origin))),
    );
    expect(await run.run()).to.equal(true);
    expect(waits).to.deep.equal([12_000]);
    expect(sizes).to.include(24);
    expect(run.windows).to.have.length(origins.length);
  });

  it('waits longer each time where the service names no time, and gives up after 30 waits', async () => {
    const { run, waits } = runOf((asked) => asked.map(() => limited(null)));
    const error = await run.run().catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(Failure);
    expect(waits.slice(0, 2)).to.deep.equal([500, 500]);
    expect(Math.max(...waits)).to.equal(30_000);
    expect(waits.length).to.be.within(30, 60);
  });

  for (const [name, failure, calls, waited] of [
    ['a batch that is refused as a whole for a time', { status: 503, code: 'inference.overloaded', retryAfterS: 1 }, 2, [1000, 1000]],
    ['a service that does not answer', { status: 0 }, 1, [500]],
  ] as const)
    it(`waits for ${name}`, async () => {
      const { run, waits } = runOf((asked, call) => {
        if (call <= calls) throw new Failure(name, failure);
        return asked.map(forecastOf);
      });
      expect(await run.run()).to.equal(true);
      expect(waits).to.deep.equal(waited);
    });

  it('ends with the failure where waiting does not help, and keeps what was answered', async () => {
    const { run } = runOf((asked, call) => {
      if (call === 2) throw new Failure('bad key', { status: 401, code: 'auth.key_refused' });
      return asked.map(forecastOf);
    });
    const error = await run.run().catch((caught: unknown) => caught);
    expect(error).to.include({ code: 'auth.key_refused' });
    expect(run.windows.length).to.be.at.least(64);
  });

  it('counts a window that the service rejects as refused, and goes on', async () => {
    const { run } = runOf((asked, call) =>
      asked.map((origin, at) =>
        call === 1 && at === 0 ? new Failure('bad', { status: 422, code: 'request.invalid' }) : forecastOf(origin),
      ),
    );
    expect(await run.run()).to.equal(true);
    expect(run.windows[0]).to.include({ outcome: 'refused', probability: null });
    expect(run.windows[1].outcome).to.be.a('boolean');
  });

  it('asks for nothing while it is paused, and goes on where it was', async () => {
    const done: number[] = [];
    const { run, sizes } = runOf((asked) => asked.map(forecastOf), { onProgress: (told) => done.push(told.done) });
    run.pause();
    const ended = run.run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sizes).to.deep.equal([]);
    run.resume();
    expect(await ended).to.equal(true);
    expect(done.at(-1)).to.equal(origins.length);
  });

  it('stops at once, also while it waits', async () => {
    let stop = (): void => {};
    const { run } = runOf((asked) => asked.map(() => limited(60)), { wait: () => Promise.resolve(stop()) });
    stop = () => run.stop();
    expect(await run.run()).to.equal(false);
  });
});
