import { INDEX_EXAMPLE, READY_EXAMPLE } from './answerExamples.ts';
import { IndexAnswerSchema, LiveAnswerSchema, ReadyAnswerSchema } from './health.ts';
import { REVALIDATED, type RouteSpec } from './routeSpec.ts';

/** The service itself: start page, health, API description. */
export const SERVICE_ROUTES = {
  index: {
    method: 'GET',
    path: '/',
    tag: 'Service',
    summary: 'Get the next steps',
    answer: {
      status: 200,
      description: 'The next steps; the console for callers that prefer HTML.',
      schema: IndexAnswerSchema,
      example: INDEX_EXAMPLE,
      alsoHtml: true,
    },
    errors: [],
  },
  live: {
    method: 'GET',
    path: '/health/live',
    tag: 'Service',
    summary: 'Check that the process answers',
    answer: { status: 200, description: 'The process answers.', schema: LiveAnswerSchema, example: { status: 'live' } },
    errors: [],
  },
  ready: {
    method: 'GET',
    path: '/health/ready',
    tag: 'Service',
    summary: 'Check that forecasts can be computed',
    answer: {
      status: 200,
      description: 'The default version, the backend and the device, and why better backends were refused.',
      schema: ReadyAnswerSchema,
      example: READY_EXAMPLE,
    },
    errors: ['service.not_ready'],
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'Get the OpenAPI document',
    query: [],
    answer: { status: 200, description: 'OpenAPI 3.1.', schema: { type: 'object' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  asyncApi: {
    method: 'GET',
    path: '/asyncapi.json',
    tag: 'Service',
    summary: 'Get the AsyncAPI document of live series',
    query: [],
    answer: { status: 200, description: 'AsyncAPI 3.0.', schema: { type: 'object' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  docs: {
    method: 'GET',
    path: '/docs',
    tag: 'Service',
    summary: 'Get the list of all routes, errors and settings as a page',
    description: 'It loads nothing from other servers.',
    query: [],
    answer: { status: 200, description: 'HTML.', type: 'text/html; charset=utf-8', schema: { type: 'string' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  docsPage: {
    method: 'GET',
    path: '/docs/{id}',
    tag: 'Service',
    idExample: 'tickForecast',
    summary: 'Get one page about the API',
    description:
      'The page of a route, by its operationId, with a form that sends the request; or `errors`, `messages` (live series) or `settings`.',
    query: [],
    answer: { status: 200, description: 'HTML.', type: 'text/html; charset=utf-8', schema: { type: 'string' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  llms: {
    method: 'GET',
    path: '/llms.txt',
    tag: 'Service',
    summary: 'Get a description of the API for language models',
    query: [],
    answer: {
      status: 200,
      description: 'Markdown in the format of llmstxt.org.',
      type: 'text/plain; charset=utf-8',
      schema: { type: 'string' },
      ...REVALIDATED,
    },
    errors: ['request.invalid'],
  },
} as const satisfies Record<string, RouteSpec>;
