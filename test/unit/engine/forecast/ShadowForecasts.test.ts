import { expect } from 'chai';
import type { LogFields, Logger } from '../../../../src/core/Logger.ts';
import { Forecaster, type TickForecast } from '../../../../src/engine/forecast/Forecaster.ts';
import { MOST_SHADOWS, QUIET_MS, ShadowForecasts } from '../../../../src/engine/forecast/ShadowForecasts.ts';
import type { InferenceHost, InferenceRow } from '../../../../src/engine/inference/InferenceHost.ts';
import type { ModelCatalog, ServedModel } from '../../../../src/engine/model/ModelManifest.ts';
import type { NetworkOutput } from '../../../../src/engine/model/NetworkWeights.ts';
import { parseRuleSet } from '../../../../src/engine/rules/parseRuleSet.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { fakeModel, ruleSetJson, tickRequest } from '../../../support/fakeForecaster.ts';

type Row = { id: string; row: InferenceRow; deadlineMs: number | undefined; answer(logit: number): void; fail(error: Error): void };

/** A live forecaster with a shadow version whose network answers when the test says so. */
class Rig {
  readonly clock = new FakeClock();
  readonly loaded = new Map<string, ServedModel>();
  readonly rows: Row[] = [];
  readonly logged: { level: string; message: string; fields: LogFields | undefined }[] = [];
  readonly outcomes: [string, number | undefined][] = [];
  held = 0;
  readonly models = {
    defaultId: 'live',
    find: (id: string) => this.loaded.get(id),
    hold: (id: string) => {
      const model = this.loaded.get(id);
      if (model === undefined) return undefined;
      this.held++;
      return { model, release: () => void this.held-- };
    },
    list: () => [...this.loaded.values()],
  } satisfies ModelCatalog;
  readonly shadow: ShadowForecasts;
  readonly forecaster: Forecaster;

  constructor(...ids: string[]) {
    for (const id of ids) this.load(id);
    const host: InferenceHost = {
      infer: (id, row, deadlineMs) =>
        new Promise<NetworkOutput>((resolve, reject) => {
          const copy = { ...row, sequence: row.sequence.slice(), context: row.context.slice() };
          const answer = (logit: number): void => resolve({ head: row.head, baselineLogit: logit, residualLogit: 0, directionLogit: 0 });
          this.rows.push({ id, row: copy, deadlineMs, answer, fail: reject });
        }),
      close: () => Promise.resolve(),
    };
    const log =
      (level: string) =>
      (message: string, fields?: LogFields): void =>
        void this.logged.push({ level, message, fields });
    const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
    const ruleSet = parseRuleSet(ruleSetJson(), 'test');
    const deps = { models: this.models, ruleSet, clock: this.clock };
    const onOutcome = (outcome: string, difference?: number): void => void this.outcomes.push([outcome, difference]);
    this.shadow = new ShadowForecasts({ id: 'tried', host, logger, onOutcome, ...deps });
    this.forecaster = new Forecaster({ host, shadow: this.shadow, ...deps });
  }

  load(id: string): void {
    this.loaded.set(id, fakeModel(id, { head: { cut: 0.5 } }));
  }

  ask(request = tickRequest(), model?: string): Promise<TickForecast> {
    return this.forecaster.forecast(request, { deadlineMs: Infinity, ...(model === undefined ? {} : { model }) });
  }

  /** Rows without a result yet, as if they were just submitted. */
  take(id: string): Row {
    const at = this.rows.findIndex((row) => row.id === id);
    expect(at, `a row of ${id} is pending`).to.be.at.least(0);
    return this.rows.splice(at, 1)[0] as Row;
  }

  async answerLive(logit = 3): Promise<TickForecast> {
    const asked = this.ask();
    this.take('live').answer(logit);
    return asked;
  }

  /** Advances the clock by the quiet time after the live answer. */
  async quiet(): Promise<void> {
    this.clock.advance(QUIET_MS);
    await settled();
  }

  warnings(): string[] {
    return this.logged.filter(({ level }) => level === 'warn').map(({ message }) => message);
  }
}

/** Runs everything that only waits for an iteration of the event loop. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ShadowForecasts', () => {
  it('runs the shadow version after the live answer was sent, with the same window and threshold', async () => {
    const rig = new Rig('live', 'tried');
    const asked = rig.forecaster.forecast(tickRequest(), { deadlineMs: Infinity });
    const live = rig.take('live');
    await rig.quiet();
    expect(rig.rows, 'while the live row runs').to.have.length(0);
    live.answer(3);
    expect((await asked).mark).to.equal(1);
    expect(rig.rows, 'in the iteration of the answer').to.have.length(0);
    await rig.quiet();
    const { row, deadlineMs } = rig.take('tried');
    expect(row).to.deep.equal(live.row);
    expect(deadlineMs, 'no deadline').to.equal(undefined);
  });

  it('counts which version marks an opportunity, and the difference of the probabilities', async () => {
    const rig = new Rig('live', 'tried');
    for (const [live, tried] of [
      [3, 3],
      [3, -3],
      [-3, 3],
      [-3, -3],
    ] as const) {
      await rig.answerLive(live);
      await rig.quiet();
      rig.take('tried').answer(tried);
      await settled();
    }
    expect(rig.outcomes.map(([outcome]) => outcome)).to.deep.equal(['agrees', 'only_live', 'only_shadow', 'agrees']);
    const differences = rig.outcomes.map(([, difference]) => difference ?? NaN);
    expect([differences[0], differences[3]]).to.deep.equal([0, 0]);
    expect(differences[1]).to.be.within(0.5, 1);
    const { meanAbsDifference, ...counts } = rig.shadow.read(rig.loaded.get('tried')!)!;
    expect(counts).to.deep.equal({ live: 'live', forecasts: 4, agree: 2, onlyLive: 1, onlyShadow: 1, failed: 0, dropped: 0 });
    expect(meanAbsDifference).to.be.closeTo(differences.reduce((sum, each) => sum + each, 0) / 4, 1e-12);
    expect(rig.shadow.read(rig.loaded.get('live')!)).to.equal(null);
    expect(rig.held, 'all are released').to.equal(0);
  });

  it('logs one line for each at debug level, without the caller', async () => {
    const rig = new Rig('live', 'tried');
    await rig.answerLive(3);
    await rig.quiet();
    rig.take('tried').answer(-3);
    await settled();
    const lines = rig.logged.filter(({ level }) => level === 'debug');
    expect(lines).to.have.length(1);
    expect(lines[0].fields).to.deep.include({ outcome: 'only_live', horizonS: 30 });
    expect((lines[0].fields!['shadow'] as { reasons: string[] }).reasons).to.deep.equal(['below_threshold']);
    expect(JSON.stringify(lines)).to.not.include('key-1');
  });

  it('never delays a live answer, however slow it is, and drops windows that do not fit', async () => {
    const rig = new Rig('live', 'tried');
    for (let i = 0; i < MOST_SHADOWS + 3; i++) {
      await rig.answerLive();
      await rig.quiet();
    }
    expect(
      rig.rows.map(({ id }) => id),
      'one at a time',
    ).to.deep.equal(['tried']);
    expect(rig.outcomes).to.deep.equal(Array(3).fill(['dropped', undefined]));
    for (let i = 0; i < MOST_SHADOWS; i++) {
      rig.take('tried').answer(3);
      await settled();
      expect(rig.rows, 'without a pause').to.have.length(0);
      await rig.quiet();
    }
    await rig.answerLive();
    await rig.quiet();
    rig.take('tried').answer(3);
    await settled();
    expect(rig.outcomes.filter(([outcome]) => outcome === 'agrees')).to.have.length(MOST_SHADOWS + 1);
  });

  it('waits for a quiet time, which each live answer restarts', async () => {
    const rig = new Rig('live', 'tried');
    for (let i = 0; i < 3; i++) {
      await rig.answerLive();
      rig.clock.advance(QUIET_MS - 1);
      await settled();
      expect(rig.rows).to.have.length(0);
    }
    rig.clock.advance(1);
    await settled();
    expect(rig.rows.map(({ id }) => id)).to.deep.equal(['tried']);
  });

  it('counts a failing shadow version, logs it once, and live answers are unaffected', async () => {
    const rig = new Rig('live', 'tried');
    for (let i = 0; i < 3; i++) {
      expect((await rig.answerLive()).mark).to.equal(1);
      await rig.quiet();
      const row = rig.take('tried');
      if (i === 1) row.answer(NaN);
      else row.fail(new Error('a broken network'));
      await settled();
    }
    expect(rig.outcomes).to.deep.equal(Array(3).fill(['failed', undefined]));
    expect(rig.warnings()).to.deep.equal(['the shadow version fails; live forecasts are not affected']);
    expect(rig.held).to.equal(0);
  });

  it('logs once that the version is not loaded, and runs it when it is loaded', async () => {
    const rig = new Rig('live');
    rig.shadow.logState();
    for (let i = 0; i < 3; i++) await rig.answerLive();
    await rig.quiet();
    expect([rig.rows.length, rig.outcomes.length]).to.deep.equal([0, 0]);
    expect(rig.warnings()).to.deep.equal(['SHADOW_MODEL is not loaded; it runs as soon as it is loaded']);
    rig.load('tried');
    await rig.answerLive();
    await rig.quiet();
    rig.take('tried').answer(3);
    await settled();
    expect(rig.outcomes.map(([outcome]) => outcome)).to.deep.equal(['agrees']);
    expect(rig.logged.filter(({ level }) => level === 'info')).to.have.length(1);
  });

  it('starts a new count if either version is reloaded, without windows from before', async () => {
    const rig = new Rig('live', 'tried');
    await rig.answerLive();
    rig.load('tried');
    await rig.quiet();
    expect([rig.rows.length, rig.outcomes]).to.deep.equal([0, [['dropped', undefined]]]);
    expect(rig.shadow.read(rig.loaded.get('tried')!)).to.equal(null);
    await rig.answerLive();
    await rig.quiet();
    rig.take('tried').answer(3);
    await settled();
    expect(rig.shadow.read(rig.loaded.get('tried')!)).to.include({ forecasts: 1, dropped: 0 });
  });

  it('does not run for answers of other versions, for the sample, or next to itself as the default', async () => {
    const rig = new Rig('live', 'tried', 'other');
    const other = rig.ask(tickRequest(), 'other');
    rig.take('other').answer(3);
    await other;
    const sample = rig.forecaster.forecast(tickRequest());
    rig.take('live').answer(3);
    await sample;
    rig.models.defaultId = 'tried';
    const own = rig.ask();
    rig.take('tried').answer(3);
    await own;
    await rig.quiet();
    expect([rig.rows.length, rig.outcomes.length]).to.deep.equal([0, 0]);
    expect(rig.warnings()).to.deep.equal(['SHADOW_MODEL is the default version: there is nothing to compare']);
  });

  it('copies the window as it was when it was answered', async () => {
    const rig = new Rig('live', 'tried');
    const request = tickRequest();
    const asked = rig.ask(request);
    const live = rig.take('live');
    live.answer(3);
    await asked;
    request.series.prices.fill(1);
    await rig.quiet();
    expect(rig.take('tried').row).to.deep.equal(live.row);
  });

  it('runs nothing and logs nothing after it is closed', async () => {
    const rig = new Rig('live', 'tried');
    await rig.answerLive();
    await rig.quiet();
    await rig.answerLive();
    rig.shadow.close();
    rig.take('tried').fail(new Error('The service is stopping.'));
    await rig.answerLive();
    await rig.quiet();
    expect([rig.rows.length, rig.outcomes.length, rig.warnings().length]).to.deep.equal([0, 0, 0]);
  });
});
