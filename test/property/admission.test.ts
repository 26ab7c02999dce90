import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatTimestamps } from '../../clients/typescript/src/tickBody.ts';
import { compileBodyChecks } from '../../src/contract/compileBodyChecks.ts';
import { readQuery } from '../../src/contract/query.ts';
import { ROUTES } from '../../src/contract/routes.ts';
import { silentLogger } from '../../src/core/Logger.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import type { ForecastCall, TickForecast } from '../../src/engine/forecast/Forecaster.ts';
import { AdmissionQueue } from '../../src/service/admission/AdmissionQueue.ts';
import { BodyBudget } from '../../src/service/admission/BodyBudget.ts';
import { SeriesHolders } from '../../src/service/app/cluster/SeriesHolders.ts';
import { answerHorizons } from '../../src/service/http/handlers/answerHorizons.ts';
import { answerTicks } from '../../src/service/http/handlers/answerTicks.ts';
import { LiveForecasts } from '../../src/service/http/live/LiveForecasts.ts';
import type { LiveShared } from '../../src/service/http/live/LiveShared.ts';
import { RequestAborted } from '../../src/service/http/readBody.ts';
import { RequestContext, type RouteContext, type Shared } from '../../src/service/http/RequestContext.ts';
import { SeriesMemories } from '../../src/service/live/SeriesMemories.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { CALLER, fakeParts, SUMMARY_OF_FORECAST } from '../support/fakeParts.ts';
import { tickRequest } from '../support/fakeForecaster.ts';
import { linkedClaims } from '../support/linkedClaims.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { OPTIONS } from '../support/testServer.ts';
import { walkTicks } from '../support/walkTicks.ts';

/** Time of one step of the schedule, of the deadline, and after which each request must have an answer. */
const STEP_MS = 25;
const DEADLINE_MS = 500;
const SLOTS = 2;
const CHECKS = compileBodyChecks();
const TICKS = walkTicks({ seed: 9, count: 700 });

function bodyOf(end: number, futureMs: number): Buffer {
  const times = TICKS.timesUs.slice(end - 200, end);
  const future = futureMs === 0 ? [] : [times.at(-1)! + futureMs * 1000];
  const Price = [...TICKS.prices.slice(end - 200, end), ...future.map(() => 0)];
  return Buffer.from(JSON.stringify({ Timestamp: formatTimestamps([...times, ...future]), Price }));
}
/** Windows of one series, each further than the one before; later ones bring outcomes of the earlier ones. */
const WINDOWS = Array.from({ length: 6 }, (_, i) => ({ alone: bodyOf(200 + 100 * i, 2000), observed: bodyOf(200 + 100 * i, 0) }));

const asked = fc.record({
  kind: fc.constantFrom('plain', 'series', 'series', 'horizons', 'live'),
  worker: fc.nat(1),
  series: fc.constantFrom('x', 'x', 'x', 'y'),
  window: fc.nat(WINDOWS.length - 1),
  /** Of each of its forecasts; the network ends them at their deadline. */
  computeMs: fc.constantFrom(0, 30, 90, 10_000),
  leavesAfterMs: fc.option(fc.nat(DEADLINE_MS), { nil: undefined }),
});
const event = fc.oneof(
  { weight: 12, arbitrary: asked },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('networkFails' as const), worker: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('storeHangs' as const), forMs: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('workerDies' as const) }) },
);
const schedule = fc.array(fc.record({ afterMs: fc.constantFrom(0, 0, 0, STEP_MS, 200), event }), {
  minLength: 5,
  maxLength: 60,
  size: 'max',
});
const mode = fc.constantFrom('alone', 'claims', 'stored');

type Ask = typeof asked extends fc.Arbitrary<infer T> ? T : never;
type Answer = { status: string; readonly atMs: number };
type Asked = { readonly askedMs: number; answer: Answer | undefined; readonly what: string; readonly worker: number };

async function iterations(): Promise<void> {
  for (let i = 0; i < 12; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

class CountedQueue extends AdmissionQueue {
  slots = 0;

  override async enter(...asked: Parameters<AdmissionQueue['enter']>): Promise<void> {
    await super.enter(...asked);
    this.slots++;
  }

  override leave(): void {
    this.slots--;
    super.leave();
  }
}

/** Workers with real queues, memories and handlers, on a clock that the schedule advances; the network is a timer. */
class Simulation {
  readonly clock = new FakeClock();
  readonly asked: Asked[] = [];
  readonly #store = new MemoryStore();
  readonly #holders = new SeriesHolders();
  readonly #workers: ReturnType<Simulation['openWorker']>[];
  #storeHangsUntilMs = 0;

  constructor(how: 'alone' | 'claims' | 'stored') {
    const { readMemory, writeMemory } = this.#store;
    const late = async (): Promise<void> => {
      const restMs = this.#storeHangsUntilMs - this.clock.monotonicMs();
      if (restMs > 0) await new Promise<void>((resolve) => this.clock.after(restMs, resolve));
    };
    this.#store.readMemory = (...args) => late().then(() => readMemory.apply(this.#store, args));
    this.#store.writeMemory = (...args) => late().then(() => writeMemory.apply(this.#store, args));
    this.#workers = Array.from({ length: how === 'alone' ? 1 : 2 }, () => this.openWorker(how));
  }

  openWorker(how: 'alone' | 'claims' | 'stored') {
    const { clock } = this;
    const running = new Set<(error: Error) => void>();
    const loopDelay = { delayMs: 0, steadyMs: 0 };
    const admission = new CountedQueue({ clock, loopDelay, maxInFlight: SLOTS, maxQueued: 20, deadlineMs: DEADLINE_MS });
    const linked = how === 'claims' ? linkedClaims(this.#holders) : undefined;
    const claims = linked?.claims;
    const memories = new SeriesMemories({ store: this.#store, clock, logger: silentLogger, isAlone: how === 'alone', claims });
    const computeMs = new Map<number, number>();
    const forecast = (_: unknown, { deadlineMs = Infinity, detail: _d, ...rest }: ForecastCall): Promise<TickForecast> =>
      new Promise((resolve, reject) => {
        const ms = computeMs.get(rest.minMoveBps as number) ?? 0;
        const fail = (error: Error): void => {
          running.delete(fail);
          reject(error);
        };
        running.add(fail);
        const made = { theta: 1e-5, probability: 0.4, version: 1, hour: NaN, day: NaN, hours: NaN, week: NaN };
        const restMs = deadlineMs - clock.monotonicMs();
        clock.after(Math.min(ms, restMs), () => {
          if (ms >= restMs) return fail(new ServiceError('inference.deadline', 'The time limit passed before the forecast was computed.'));
          running.delete(fail);
          resolve({ mark: 1, reason: null, summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null, remembered: made });
        });
      });
    const models = { ...fakeParts().models, usesMemory: () => true };
    const parts = fakeParts({ forecast, memories, models });
    const deps = { clock, checks: CHECKS, state: { parts, phase: 'ready' }, onForecast: () => {}, onProblem: () => {} };
    const options = { ...OPTIONS, forecastDeadlineMs: DEADLINE_MS };
    const shared = { deps, options, admission, loopDelay, budget: new BodyBudget(clock, 1e9) } as unknown as Shared;
    return { admission, shared, running, computeMs, die: () => linked?.die() };
  }

  /** Lets everything run that needs no time. */
  async settle(): Promise<void> {
    await iterations();
    // Nothing waits in a slot but for the network.
    for (const { admission, running } of this.#workers) expect(admission.slots, 'slots that are held').to.be.at.most(running.size);
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.clock.advance(Math.min(left, STEP_MS));
      await this.settle();
    }
  }

  networkFails(at: number): void {
    for (const fail of [...this.#at(at).running]) fail(new ServiceError('inference.failed', 'The inference process ended.'));
  }

  storeHangs(forMs: number): void {
    this.#storeHangsUntilMs = this.clock.monotonicMs() + forMs;
  }

  /** The first one stays. Its callers see their connections end. */
  workerDies(): void {
    if (this.#workers.length < 2) return;
    this.#workers[1].die();
    this.#workers.length = 1;
    for (const one of this.asked) if (one.worker === 1) one.answer ??= { status: 'connection ended', atMs: this.clock.monotonicMs() };
  }

  ask({ kind, worker: at, series, window, computeMs, leavesAfterMs }: Ask): void {
    const { shared, computeMs: times } = this.#at(at);
    const one: Asked = { askedMs: this.clock.monotonicMs(), answer: undefined, what: kind, worker: Math.min(at, this.#workers.length - 1) };
    this.asked.push(one);
    const number = times.size + 1;
    times.set(number, computeMs);
    const done = (status: string) => () => void (one.answer ??= { status, atMs: this.clock.monotonicMs() });
    const failed = (error: unknown): void =>
      done(error instanceof ServiceError ? error.code : error instanceof RequestAborted ? 'gone' : String(error))();
    if (kind === 'live') {
      const live = new LiveForecasts(
        { ...shared, parts: () => (shared.deps.state as { parts: ReturnType<LiveShared['parts']> }).parts } as unknown as LiveShared,
        { keyId: 'live', accountId: CALLER.accountId },
      );
      live.compute(tickRequest(), { minMoveBps: number }).then(done('answered'), failed);
      if (leavesAfterMs !== undefined) this.clock.after(leavesAfterMs, () => live.close());
      return;
    }
    const query = {
      plain: `min_move_bps=${number}`,
      series: `min_move_bps=${number}&series=${series}`,
      horizons: `horizons=1s,2s,5s&min_move_bps=${number}&series=${series}`,
    }[kind as 'plain' | 'series' | 'horizons'];
    const res = Object.assign(new EventEmitter(), { writableFinished: false });
    const req = { headers: {}, socket: { remoteAddress: '127.0.0.1' } };
    const ctx = { params: {}, state: { requestId: 'r', stagesMs: {} }, req, res, set: () => {} } as unknown as RouteContext;
    const spec = ROUTES.tickForecast;
    const request = new RequestContext(ctx, { name: 'tickForecast', spec, bodyLimitBytes: 1e6 }, shared);
    request.caller = CALLER;
    request.query = readQuery(query, spec.query);
    const { alone, observed } = WINDOWS[window];
    const answer =
      kind === 'horizons'
        ? answerHorizons(observed, shared.deps, request)
        : answerTicks(alone, shared.deps, { request, takePermit: () => request.takeRequestPermit() });
    (answer as Promise<unknown>).then(done('answered'), failed);
    if (leavesAfterMs !== undefined) this.clock.after(leavesAfterMs, () => res.emit('close'));
  }

  /** Slots that are free when nothing is asked any more. */
  async freeSlots(): Promise<number[]> {
    const free: number[] = [];
    for (const { admission } of this.#workers) {
      const entered: string[] = [];
      const signal = new AbortController().signal;
      for (let i = 0; i < SLOTS + 1; i++)
        void admission.enter({ owner: 'test', deadlineMs: Infinity, signal }).then(() => entered.push('in'));
      await iterations();
      free.push(entered.length);
    }
    return free;
  }

  #at(at: number): ReturnType<Simulation['openWorker']> {
    return this.#workers[at % this.#workers.length];
  }
}

describe('requests that wait for slots, for others of their series, and for the store', function () {
  this.timeout(300_000);

  it('all have an answer by their deadline, whatever the others do, and no slot is lost (row 104)', () =>
    fc.assert(
      fc.asyncProperty(mode, schedule, async (how, steps) => {
        const simulation = new Simulation(how);
        for (const { afterMs, event: one } of steps) {
          await simulation.advance(afterMs);
          if (one.kind === 'networkFails') simulation.networkFails(one.worker);
          else if (one.kind === 'storeHangs') simulation.storeHangs(one.forMs);
          else if (one.kind === 'workerDies') simulation.workerDies();
          else simulation.ask(one);
        }
        await simulation.settle();
        await simulation.advance(DEADLINE_MS + STEP_MS);
        for (const { what, askedMs, answer } of simulation.asked) {
          expect(answer, `${what} asked at ${askedMs} has no answer`).to.not.equal(undefined);
          expect(answer!.atMs - askedMs, `${what}: ${answer!.status}`).to.be.at.most(DEADLINE_MS + STEP_MS);
          expect(answer!.status).to.be.oneOf([
            ...['answered', 'gone', 'connection ended', 'inference.deadline', 'inference.overloaded', 'inference.failed'],
          ]);
        }
        await simulation.advance(1000);
        for (const free of await simulation.freeSlots()) expect(free, 'free slots').to.equal(SLOTS);
      }),
      { numRuns: 60 },
    ));

  it('answers the requests of the deadlock of 2026-11: plain ones of a series and one with several horizons', async () => {
    for (const how of ['alone', 'claims', 'stored'] as const) {
      const simulation = new Simulation(how);
      const ask = (kind: string, window: number): void =>
        simulation.ask({ kind, worker: 0, series: 'x', window, computeMs: 30, leavesAfterMs: undefined } as never);
      ask('plain', 0);
      ask('horizons', 0);
      await simulation.advance(STEP_MS);
      for (let i = 0; i < 8; i++) ask('series', 4);
      await simulation.advance(DEADLINE_MS + STEP_MS);
      expect(
        simulation.asked.map(({ answer }) => answer?.status),
        how,
      ).to.not.include(undefined);
      ask('plain', 0);
      await simulation.advance(DEADLINE_MS);
      expect(simulation.asked.at(-1)!.answer?.status, how).to.equal('answered');
    }
  });
});
