import * as examples from './answerExamples.ts';
import * as catalog from './catalog.ts';
import { EXAMPLE_MODEL_ID, EXAMPLE_RULE_SET_ID } from './exampleIds.ts';
import { TickAnswerSchema, TickRequestSchema, exampleTickRequest } from './tickForecast.ts';
import { KEY_CODES, REVALIDATED, INFERENCE_CODES, type RouteSpec, ok } from './routeSpec.ts';

const BY_KEY_MODELS = { tag: 'Models', needsKey: true, query: [] } as const;
const OPEN_FORECASTS = { tag: 'Forecasts', query: [] } as const;
const OPEN_MODELS = { tag: 'Models', query: [] } as const;

/** Model versions, rule sets, and the sample. */
export const CATALOG_ROUTES = {
  modelList: {
    ...OPEN_MODELS,
    method: 'GET',
    path: '/models',
    summary: 'List the loaded model versions',
    answer: {
      ...ok('All loaded versions, and the id of the default version.', catalog.ModelListAnswerSchema, examples.MODEL_LIST_EXAMPLE),
      ...REVALIDATED,
    },
    links: [{ to: 'model', id: '/default' }],
    errors: ['request.invalid', 'service.not_ready'],
  },
  model: {
    ...OPEN_MODELS,
    method: 'GET',
    path: '/models/{id}',
    idExample: EXAMPLE_MODEL_ID,
    summary: 'Get one model version with its card',
    answer: { ...ok('The version and its card.', catalog.ModelAnswerSchema, examples.MODEL_EXAMPLE), ...REVALIDATED },
    errors: ['request.invalid', 'model.unknown', 'service.not_ready'],
  },
  modelFiles: {
    ...BY_KEY_MODELS,
    method: 'GET',
    path: '/auth/models/{id}/files',
    idExample: EXAMPLE_MODEL_ID,
    summary: 'Get the files of a model version, to forecast without the service',
    description: 'For tickmark-engine, whose answers are then those of this service.',
    isHeavy: true,
    answer: {
      ...ok('The files that a forecast needs, about 1 MB.', catalog.ModelFilesAnswerSchema, examples.MODEL_FILES_EXAMPLE),
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'model.unknown', ...KEY_CODES, 'service.not_ready'],
  },
  ruleSetList: {
    ...OPEN_MODELS,
    method: 'GET',
    path: '/rules',
    summary: 'List the rule sets of the loaded versions',
    answer: {
      ...ok(
        'All loaded rule sets, and the id of the one that the default version uses.',
        catalog.RuleSetListAnswerSchema,
        examples.RULE_SET_LIST_EXAMPLE,
      ),
      ...REVALIDATED,
    },
    links: [{ to: 'ruleSet', id: '/default' }],
    errors: ['request.invalid', 'service.not_ready'],
  },
  ruleSet: {
    ...OPEN_MODELS,
    method: 'GET',
    path: '/rules/{id}',
    idExample: EXAMPLE_RULE_SET_ID,
    summary: 'Get one rule set with all its rules',
    answer: {
      ...ok('Its rules, and the predicates that they use.', catalog.RuleSetAnswerSchema, examples.RULE_SET_EXAMPLE),
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'rules.unknown', 'service.not_ready'],
  },
  sample: {
    ...OPEN_FORECASTS,
    method: 'GET',
    path: '/sample',
    summary: 'Get a request body that is ready to post',
    answer: {
      ...ok('500 generated ticks, and a future timestamp 60 s after the last one.', TickRequestSchema, exampleTickRequest()),
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'service.not_ready'],
  },
  sampleForecast: {
    ...OPEN_FORECASTS,
    method: 'GET',
    path: '/sample/forecast',
    summary: 'Get the full answer to the sample, without a key',
    answer: {
      ...ok(
        'The answer of POST /auth/ti-tick?detail=full to the sample; computed once.',
        TickAnswerSchema,
        examples.DETAILED_FORECAST_EXAMPLE,
      ),
      ...REVALIDATED,
    },
    errors: ['request.invalid', ...INFERENCE_CODES, 'service.not_ready'],
  },
} as const satisfies Record<string, RouteSpec>;
