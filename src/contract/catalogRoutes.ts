import { DETAILED_FORECAST_EXAMPLE, MODEL_EXAMPLE, MODEL_LIST_EXAMPLE, RULE_SET_EXAMPLE, RULE_SET_LIST_EXAMPLE } from './answerExamples.ts';
import { ModelAnswerSchema, ModelListAnswerSchema, RuleSetAnswerSchema, RuleSetListAnswerSchema } from './catalog.ts';
import { EXAMPLE_MODEL_ID, EXAMPLE_RULE_SET_ID } from './query.ts';
import { TickAnswerSchema, TickRequestSchema, exampleTickRequest } from './tickForecast.ts';
import { REVALIDATED, INFERENCE_CODES, type RouteSpec } from './routeSpec.ts';

/** Model versions, rule sets, and the sample. */
export const CATALOG_ROUTES = {
  modelList: {
    method: 'GET',
    path: '/models',
    tag: 'Models',
    summary: 'List the loaded model versions',
    query: [],
    answer: {
      status: 200,
      description: 'All loaded versions, and the id of the default version.',
      schema: ModelListAnswerSchema,
      example: MODEL_LIST_EXAMPLE,
      ...REVALIDATED,
    },
    links: [{ to: 'model', id: '/default' }],
    errors: ['request.invalid', 'service.not_ready'],
  },
  model: {
    method: 'GET',
    path: '/models/{id}',
    tag: 'Models',
    idExample: EXAMPLE_MODEL_ID,
    summary: 'Get one model version with its card',
    query: [],
    answer: { status: 200, description: 'The version and its card.', schema: ModelAnswerSchema, example: MODEL_EXAMPLE, ...REVALIDATED },
    errors: ['request.invalid', 'model.unknown', 'service.not_ready'],
  },
  ruleSetList: {
    method: 'GET',
    path: '/rules',
    tag: 'Models',
    summary: 'List the rule sets of the loaded versions',
    query: [],
    answer: {
      status: 200,
      description: 'All loaded rule sets, and the id of the one that the default version uses.',
      schema: RuleSetListAnswerSchema,
      example: RULE_SET_LIST_EXAMPLE,
      ...REVALIDATED,
    },
    links: [{ to: 'ruleSet', id: '/default' }],
    errors: ['request.invalid', 'service.not_ready'],
  },
  ruleSet: {
    method: 'GET',
    path: '/rules/{id}',
    tag: 'Models',
    idExample: EXAMPLE_RULE_SET_ID,
    summary: 'Get one rule set with all its rules',
    query: [],
    answer: {
      status: 200,
      description: 'Its rules, and the predicates that they use.',
      schema: RuleSetAnswerSchema,
      example: RULE_SET_EXAMPLE,
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'rules.unknown', 'service.not_ready'],
  },
  sample: {
    method: 'GET',
    path: '/sample',
    tag: 'Forecasts',
    summary: 'Get a request body that is ready to post',
    query: [],
    answer: {
      status: 200,
      description: '500 generated ticks, and a future timestamp 60 s after the last one.',
      schema: TickRequestSchema,
      example: exampleTickRequest(),
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'service.not_ready'],
  },
  sampleForecast: {
    method: 'GET',
    path: '/sample/forecast',
    tag: 'Forecasts',
    summary: 'Get the full answer to the sample, without a key',
    query: [],
    answer: {
      status: 200,
      description: 'The answer of POST /auth/ti-tick?detail=full to the sample; computed once.',
      schema: TickAnswerSchema,
      example: DETAILED_FORECAST_EXAMPLE,
      ...REVALIDATED,
    },
    errors: ['request.invalid', ...INFERENCE_CODES, 'service.not_ready'],
  },
} as const satisfies Record<string, RouteSpec>;
