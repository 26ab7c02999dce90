import { Forecaster } from '../../src/engine/forecast/Forecaster.ts';
import type { InferenceHost, InferenceRow } from '../../src/engine/inference/InferenceHost.ts';
import type { HeadManifest, ModelCatalog, ModelManifest, ServedModel } from '../../src/engine/model/ModelManifest.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import type { BarModel } from '../../src/engine/model/BarModel.ts';
import type { SeenTicks } from '../../src/engine/model/SeenTicks.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { NetworkOutput } from '../../src/engine/model/NetworkWeights.ts';
import { parseRuleSet } from '../../src/engine/rules/parseRuleSet.ts';
import type { RuleSet } from '../../src/engine/rules/RuleSet.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TickRequest } from '../../src/ticks/parseTickRequest.ts';
import type { InputMonitor } from '../../src/engine/forecast/InputMonitor.ts';
import { smallInputs } from './smallInputs.ts';
import { FakeClock } from './FakeClock.ts';

export type FakeOptions = {
  /** Output of the network for a row; default: baseline = baseline input of the row, residual 0.5, direction 1. */
  readonly answer?: (row: InferenceRow) => Omit<NetworkOutput, 'head'>;
  readonly head?: Partial<HeadManifest>;
  readonly trained?: Partial<ModelManifest['trained']>;
  readonly ruleSet?: RuleSet;
  readonly synthetic?: boolean;
  /** Called for each forecast; the version then also has statistics of its inputs. */
  readonly inputs?: InputMonitor;
  readonly seen?: SeenTicks;
  readonly memory?: MemoryLine;
  readonly bars?: BarModel;
};

export type Fake = {
  readonly forecaster: Forecaster;
  readonly served: ServedModel;
  readonly rows: { modelId: string; head: number; baseline: number }[];
};

/** A forecaster with a function as its network, so that every number of an answer is known. */
export function fakeForecaster(options: FakeOptions = {}): Fake {
  const rows: Fake['rows'] = [];
  const answer = options.answer ?? ((row) => ({ baselineLogit: row.baseline, residualLogit: 0.5, directionLogit: 1 }));
  const host: InferenceHost = {
    async infer(modelId, row) {
      rows.push({ modelId, head: row.head, baseline: row.baseline });
      const output = { head: row.head, ...answer(row) };
      await Promise.resolve();
      return output;
    },
    close: () => Promise.resolve(),
  };
  const { inputs } = options;
  const served = fakeModel('fake', options);
  const models: ModelCatalog = {
    defaultId: 'fake',
    find: (id) => (id === 'fake' ? served : undefined),
    hold: (id) => (id === 'fake' ? { model: served, release: () => {} } : undefined),
    list: () => [served],
  };
  const ruleSet = options.ruleSet ?? parseRuleSet(ruleSetJson(), 'test');
  return {
    forecaster: new Forecaster({
      host,
      models,
      ruleSet,
      clock: new FakeClock(),
      ...(inputs === undefined ? {} : { inputs }),
    }),
    served,
    rows,
  };
}

/** A catalog entry of a version whose heads all have the same cut. */
export function fakeModel(id: string, options: FakeOptions = {}): ServedModel {
  const manifest: ModelManifest = {
    format: 'tickmark-model/4',
    id,
    createdAt: '2024-01-01T00:00:00.000Z',
    network: { steps: 96, sequenceColumns: 10, contextColumns: 1, units: 1, dense: 1, adapterRank: 1, heads: 4 },
    sequenceColumns: [],
    contextColumns: [],
    heads: BUCKET_NAMES.map((name) => ({
      name,
      calibration: { slope: 1, intercept: 0 },
      cut: 0.1,
      directionPassed: false,
      residual: 'trained' as const,
      ...options.head,
    })),
    trained: { horizonS: [5, 2700], horizonToWindow: [0, 20], medianGapS: [0.001, 60], logThetaRatio: [-2, 2], ...options.trained },
    synthetic: options.synthetic ?? false,
    gate: { verdict: 'not_judged', against: null, summary: '' },
    lineage: { kind: 'base', parent: null, code: '', seed: 0, data: [] },
    files: {},
  };
  const { inputs, memory, bars, seen } = options;
  return {
    id,
    networkId: id,
    manifest,
    card: '',
    ...(inputs === undefined ? {} : { inputs: smallInputs() }),
    ...(memory === undefined ? {} : { memory }),
    ...(bars === undefined ? {} : { bars }),
    ...(seen === undefined ? {} : { seen }),
  };
}

/** A line with all inputs that a version may weigh. */
export const MEMORY_LINE: MemoryLine = {
  ...{ slope: 0.9, intercept: 0.1 },
  weights: { hour: 0.3, cal: 0.5, prof: 0.8, prof_day: 0.3, share_100: 0.2, share_400: 0.1 },
};

const logistic = (ranges: readonly number[], level: number) => ({
  ...{ intercept: -0.2, moves: [0.5, 0.5, 0.4], bends: [0.6, 0.5], level, ranges },
});

const LOGISTICS = { closes: logistic([], 0.1), ranges: logistic([0.1, 0.2], 0.1) };

/** Two periods with a head each. */
export const BAR_MODEL: BarModel = {
  ...{ logThetaRatio: [Math.log(1 / 4), Math.log(8)], knots: [0, -1] },
  heads: [60, 300].map((periodS) => ({
    ...{ periodS, horizonS: 1800, cut: 0.3 },
    ...{ baseline: logistic([], 0), window: LOGISTICS, history: LOGISTICS },
  })),
  memory: { slope: 1, intercept: 0, weights: { cal: 0.5, share_100: 0.1 } },
};

/** A small rule set: two evidence rules with a weight, one veto. */
export function ruleSetJson(): Record<string, unknown> & { rules: Record<string, unknown>[] } {
  return {
    format: 'tickmark-rules/1',
    id: 'test',
    version: 1,
    about: 'for tests',
    rules: [
      {
        id: 'far',
        kind: 'evidence',
        text: '{threshold_far}',
        literals: [{ predicate: 'threshold_far' }],
        weight: -0.4,
        sign: '-',
        bound: 0.5,
      },
      {
        id: 'calm-low',
        kind: 'evidence',
        text: 'support at {support_near.price}',
        literals: [{ predicate: 'support_near' }, { predicate: 'volatility_expansion', not: true }],
        weight: 0.3,
        sign: '+',
        bound: 0.5,
        neutral: 0.2,
      },
      { id: 'bad-print', kind: 'veto', text: '{outlier_tick} changes away', literals: [{ predicate: 'outlier_tick' }], threshold: 0.9 },
    ],
  };
}

/** Generated ticks and a horizon after them. */
export function tickRequest({ seed = 7, count = 500, horizonS = 30 } = {}): TickRequest {
  const series = syntheticTicks({ seed, count });
  return { series, futureUs: (series.timesUs.at(-1) as number) + Math.round(horizonS * 1e6) };
}
