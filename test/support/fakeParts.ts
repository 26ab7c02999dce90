import { SeriesRates } from '../../src/engine/live/SeriesRates.ts';
import { ServiceError, invalidRequest, fieldProblem } from '../../src/core/ServiceError.ts';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { rulesDirectory } from '../../src/service/app/rulesDirectory.ts';
import type { ModelAnswer, ModelSummary } from '../../src/contract/catalog.ts';
import type { Identity } from '../../src/service/accounts/KeyAuthenticator.ts';
import { type ForecastLimit, forecastLimit, rateLimit } from '../../src/service/accounts/limits/RateLimit.ts';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { NO_TRACK_RECORD } from '../../src/service/live/TrackRecord.ts';
import { parseRuleSet } from '../../src/engine/rules/parseRuleSet.ts';
import type { ForecastSummary } from '../../src/engine/forecast/Forecaster.ts';
import { ruleSetJson } from './fakeForecaster.ts';

export const GOOD_KEY = 'tkm_live_fakefakefakefakefakefakefake';

const FAKE_RULES = parseRuleSet(ruleSetJson(), 'fake');

export const SUMMARY_OF_FORECAST: ForecastSummary = {
  model: 'base-fake',
  probability: 0.7,
  baselineProbability: 0.4,
  decisionThreshold: 0.6,
  minMoveBps: 2,
  reasons: [],
  medianGapS: 1,
};

export const CALLER: Identity = {
  accountId: 'account-1',
  email: 'trader@example.com',
  companyId: null,
  keyId: 'key-1',
  keyPrefix: 'tkm_live_fake',
  keyName: null,
  keyCreatedAtMs: Date.UTC(2024, 0, 2),
  keyEndMs: null,
};

const SUMMARY: ModelSummary = {
  id: 'base-fake',
  created_at: '2024-01-02T00:00:00Z',
  default: true,
  synthetic: true,
  kind: 'base',
  parent: null,
  gate: { verdict: 'not_judged', against: null, summary: 'A fake.' },
  bars: [],
  trained: { horizon_s: [1, 3600], horizon_to_window: [0.01, 2], median_gap_s: [0.01, 60], log_threshold_ratio: [-1, 1] },
  heads: [{ name: 'h30s', direction_passed: false, decision_threshold: 0.6 }],
  window_ticks: [{ up_to_s: null, ticks: 1000, with_memory: 500 }],
};
export const MODEL: ModelAnswer = {
  ...SUMMARY,
  drift: { forecasts: 0, columns: null, why: 'A fake.' },
  card: null,
};

const FILES = Buffer.from(JSON.stringify({ id: MODEL.id, ruleset: { id: 'fake', hash: '0' }, files: {} }));

const unlimited = rateLimit({ name: 'nothing', quota: 0, windowSeconds: 1 }, { add: () => Promise.reject(new Error('never asked')) });

/** A limit of forecasts by key, without one by account. */
export const keyLimit = (...limit: Parameters<typeof rateLimit>): ForecastLimit => forecastLimit(rateLimit(...limit), unlimited);
const unknownMarket = (): Promise<never> => Promise.reject(new ServiceError('market.unknown', 'No such market.'));
const unknownKey = (): Promise<never> => Promise.reject(new ServiceError('key.unknown', 'No such key.'));

const signUp: HttpParts['accounts']['signUp'] = ({ email, password, confirmPassword }) => {
  if (confirmPassword !== password)
    return Promise.reject(invalidRequest([fieldProblem('/confirm_password', 'password.not_confirmed', 'confirm_password differs.')]));
  if (email === 'taken@example.com') return Promise.reject(new ServiceError('account.email_taken', 'An account with this e-mail exists.'));
  if (password.length < 8)
    return Promise.reject(invalidRequest([fieldProblem('/password', 'password.too_short', 'password must be longer.')]));
  return Promise.resolve({ accountId: 'account-1', email, apiKey: GOOD_KEY });
};

/** Parts that answer immediately: with the real tick rules, and always with the mark 1. `calls` counts their calls. */
export function fakeParts(overrides: Partial<HttpParts> = {}): HttpParts & { calls: { forecast: number; authenticate: number } } {
  const calls = { forecast: 0, authenticate: 0 };
  return {
    calls,
    accounts: { signUp, changePassword: () => Promise.resolve(), delete: () => Promise.resolve() },
    login: () => Promise.resolve(undefined),
    account: () => Promise.resolve(undefined),
    keys: { issue: unknownKey, rotate: unknownKey, revoke: unknownKey, startSession: unknownKey, endSession: unknownKey },
    webhooks: { add: unknownKey, change: unknownKey, remove: unknownKey, test: unknownKey, failed: unknownKey },
    forecastEvents: { wants: () => false, made: () => {}, settled: () => {}, flush: () => Promise.resolve() },
    markets: {
      list: () => Promise.resolve([]),
      get: unknownMarket,
      add: unknownMarket,
      change: unknownMarket,
      remove: unknownMarket,
      forecasts: unknownMarket,
    },
    trackRecord: NO_TRACK_RECORD,
    keepsTrackRecord: false,
    remembered: { settle: () => {}, remember: () => {}, refuseOtherKind: () => {} },
    rates: new SeriesRates(),
    limits: { forecasts: forecastLimit(unlimited, unlimited), signUps: unlimited },
    knownOwner: (header) => (header === GOOD_KEY ? CALLER : undefined),
    authenticate: (header) => {
      calls.authenticate++;
      return Promise.resolve(header === GOOD_KEY ? CALLER : undefined);
    },
    forecast: (_ticks, { model }) => {
      if (model !== undefined && model !== MODEL.id) return Promise.reject(new ServiceError('model.unknown', 'No such model is loaded.'));
      calls.forecast++;
      return Promise.resolve({ mark: 1, reason: null, summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null });
    },
    models: {
      list: () => ({ default: MODEL.id, models: [SUMMARY] }),
      find: (id) => (id === MODEL.id ? MODEL : undefined),
      files: (id) => (id === MODEL.id ? FILES : undefined),
      usesMemory: () => false,
    },
    rules: rulesDirectory(FAKE_RULES),
    sample: exampleTickRequest(),
    isServing: () => true,
    ready: { status: 'ready', version: '1.2.3', commit: 'unknown', model: MODEL.id, backend: 'cpu', device: 'a fake', refused: [] },
    ...overrides,
  };
}
