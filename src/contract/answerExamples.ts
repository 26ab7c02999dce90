import type { ForecastDetail } from './forecastDetail.ts';
import type { IndexAnswer, ReadyAnswer } from './health.ts';
import type { MeAnswer } from './account.ts';
import type { ModelAnswer, ModelFilesAnswer, ModelListAnswer, ModelSummary, RuleSetAnswer, RuleSetListAnswer } from './catalog.ts';
import type { TickAnswer } from './tickForecast.ts';
import { EXAMPLE_MODEL_ID, EXAMPLE_RULE_SET_ID } from './exampleIds.ts';

const RULES_HASH = '6dddf8085d0deec2301cf11090ed0513868192632c0709aac58d73188aeea9ac';

export const READY_EXAMPLE: ReadyAnswer = {
  status: 'ready',
  version: '0.1.0',
  commit: '3f9a2c51d0be',
  model: EXAMPLE_MODEL_ID,
  backend: 'wasm',
  device: 'wasm: SIMD, one thread, TensorFlow.js 4.22.0',
  refused: [{ candidate: 'native', reason: 'its libraries are not set up; run npm run setup:native' }],
};

export const INDEX_EXAMPLE: IndexAnswer = {
  name: 'tickmark',
  version: '0.1.0',
  next: ['GET /sample/forecast shows a full answer and needs no key.', 'GET /docs describes every route.'],
};

export const ME_EXAMPLE: MeAnswer = {
  email: 'trader@example.com',
  company_id: 'example-fund',
  key: {
    id: '0b0f9a52-6f0c-4f5e-9a56-5d1d3c1c4f0e',
    prefix: 'tkm_live_AbCd',
    name: 'laptop',
    created_at: '2024-01-02T09:33:18.000Z',
    expires_at: null,
  },
};

const MODEL_SUMMARY: ModelSummary = {
  id: EXAMPLE_MODEL_ID,
  created_at: '2026-11-22T12:19:56.855Z',
  default: true,
  synthetic: false,
  kind: 'base',
  parent: null,
  gate: {
    verdict: 'passed',
    against: null,
    summary: 'It is better than the volatility baseline on windows that were not used in training.',
  },
  trained: { horizon_s: [5, 2700], horizon_to_window: [0, 20], median_gap_s: [0.002, 61.26], log_threshold_ratio: [-0.9, 0.9] },
  heads: [{ name: 'h3m', direction_passed: false, decision_threshold: 0.3 }],
  bars: [{ period_s: 60, horizon_s: 300, decision_threshold: 0.3 }],
  window_ticks: [
    { up_to_s: 30, ticks: 1000, with_memory: 500 },
    { up_to_s: null, ticks: 3000, with_memory: 500 },
  ],
};

export const MODEL_LIST_EXAMPLE: ModelListAnswer = { default: EXAMPLE_MODEL_ID, models: [MODEL_SUMMARY] };

export const MODEL_EXAMPLE: ModelAnswer = {
  ...MODEL_SUMMARY,
  drift: { forecasts: 50, columns: null, why: '200 forecasts are needed; there were 50.' },
  card: `# ${EXAMPLE_MODEL_ID}\n\nThe model card, Markdown.`,
};

export const MODEL_FILES_EXAMPLE: ModelFilesAnswer = {
  id: EXAMPLE_MODEL_ID,
  ruleset: { id: EXAMPLE_RULE_SET_ID, hash: RULES_HASH },
  files: { 'manifest.json': '{"format":"tickmark-model/4"}', 'weights.bin': 'AACAPwAAAEA=' },
};

export const RULE_SET_LIST_EXAMPLE: RuleSetListAnswer = {
  default: EXAMPLE_RULE_SET_ID,
  rulesets: [{ id: EXAMPLE_RULE_SET_ID, version: 1, about: 'Levels, momentum, volatility, path, cost.', hash: RULES_HASH, rules: 30 }],
};

export const RULE_SET_EXAMPLE: RuleSetAnswer = {
  id: EXAMPLE_RULE_SET_ID,
  version: 1,
  about: 'Levels, momentum, volatility, path, cost.',
  hash: RULES_HASH,
  rules: [
    {
      id: 'veto_outlier_tick',
      kind: 'veto',
      text: 'the tick furthest from those beside it stands {outlier_tick} typical changes away, as a wrong price would',
      when: 'outlier_tick',
      horizons: ['h30s', 'h3m', 'h15m', 'hlong'],
      weights: null,
      sign: null,
      bound: null,
      neutral: null,
      threshold: 0.9,
    },
  ],
  predicates: [{ name: 'outlier_tick', about: 'One tick is far from its neighbours, like a wrong price.', unit: 'typical changes' }],
};

const DETAIL: ForecastDetail = {
  model: { id: EXAMPLE_MODEL_ID, head: 'h3m' },
  horizon_ms: 60_000,
  opportunity: { probability: 0.4212, decision_threshold: 0.3037, min_move_bps: 3.2887 },
  direction: { probability_up: 0.4874, called: null },
  status: 'identified',
  reasons: [],
  logit: { baseline: -0.6677, network: 0.35, rules: 0, total: -0.3177 },
  ruleset: { id: EXAMPLE_RULE_SET_ID, hash: RULES_HASH },
  rules: [
    {
      id: 'acceleration',
      text: 'the last stretch moved -1.19 standard deviations unlike the one before',
      truth: [0.0066, 0.1335],
      contribution: 0,
      literals: [{ predicate: 'acceleration', negated: false, truth: [0.0066, 0.1335], value: -1.1882 }],
    },
  ],
  levels: [{ price: 100.04, kind: 'support', touches: 7 }],
  counterfactual: { min_move_bps: 7.9946 },
  input: {
    ticks: 500,
    distinct_ticks: 456,
    median_gap_ms: 139,
    cost_bps: 1.4986,
    volatility_bps_per_sqrt_s: 0.652,
    notes: ['equal_stamps', 'cost_from_prices_alone'],
  },
  timings_ms: { parse: 0.1, features: 0.13, network: 2.05, rules: 0.98, total: 8.83 },
};

/** The last part of an answer with `?detail=full`. */
export const DETAILED_FORECAST_EXAMPLE: TickAnswer = {
  '2024-01-02 00:02:10.641': { trend_identified: null },
  '2024-01-02 00:03:10.641': { trend_identified: 1, detail: DETAIL },
};
