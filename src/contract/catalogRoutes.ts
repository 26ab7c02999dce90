import { DETAILED_FORECAST_EXAMPLE, MODEL_EXAMPLE, MODEL_LIST_EXAMPLE, RULE_SET_EXAMPLE, RULE_SET_LIST_EXAMPLE } from './answerExamples.ts';
import { ModelAnswerSchema, ModelListAnswerSchema } from './models.ts';
import { EXAMPLE_MODEL_ID, EXAMPLE_RULE_SET_ID } from './query.ts';
import { RuleSetAnswerSchema, RuleSetListAnswerSchema } from './rules.ts';
import { TickAnswerSchema, TickRequestSchema, exampleTickRequest } from './tickForecast.ts';
import { REVALIDATED, INFERENCE_CODES, type RouteSpec } from './routeSpec.ts';

/** What answers: versions, rule sets, and the sample to try them with. */
export const CATALOG_ROUTES = {
  modelList: {
    method: 'GET',
    path: '/models',
    summary: 'The loaded model versions',
    query: [],
    answer: {
      status: 200,
      description: 'Every version that can answer, and which one does by default.',
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
    idExample: EXAMPLE_MODEL_ID,
    summary: 'One model version with its card',
    query: [],
    answer: { status: 200, description: 'The version and its card.', schema: ModelAnswerSchema, example: MODEL_EXAMPLE, ...REVALIDATED },
    errors: ['request.invalid', 'model.unknown', 'service.not_ready'],
  },
  ruleSetList: {
    method: 'GET',
    path: '/rules',
    summary: 'The rule sets that answers pass through',
    query: [],
    answer: {
      status: 200,
      description: 'Every loaded rule set, and which one is applied.',
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
    idExample: EXAMPLE_RULE_SET_ID,
    summary: 'One rule set, rule by rule',
    query: [],
    answer: {
      status: 200,
      description: 'Its rules and the predicates that they name.',
      schema: RuleSetAnswerSchema,
      example: RULE_SET_EXAMPLE,
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'rules.unknown', 'service.not_ready'],
  },
  sample: {
    method: 'GET',
    path: '/sample',
    summary: 'A request body that is ready to post',
    query: [],
    answer: {
      status: 200,
      description: '500 generated ticks and a future timestamp 60 s on.',
      schema: TickRequestSchema,
      example: exampleTickRequest(),
      ...REVALIDATED,
    },
    errors: ['request.invalid', 'service.not_ready'],
  },
  sampleForecast: {
    method: 'GET',
    path: '/sample/forecast',
    summary: 'The full answer to the sample, without a key',
    query: [],
    answer: {
      status: 200,
      description: 'As POST /auth/ti-tick?detail=full answers the sample; computed once.',
      schema: TickAnswerSchema,
      example: DETAILED_FORECAST_EXAMPLE,
      ...REVALIDATED,
    },
    errors: ['request.invalid', ...INFERENCE_CODES, 'service.not_ready'],
  },
} as const satisfies Record<string, RouteSpec>;
