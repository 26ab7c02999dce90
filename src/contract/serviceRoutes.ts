import { INDEX_EXAMPLE, READY_EXAMPLE } from './answerExamples.ts';
import { IndexAnswerSchema, LiveAnswerSchema, ReadyAnswerSchema } from './health.ts';
import { REVALIDATED, type RouteSpec, ok } from './routeSpec.ts';

const OPEN = { tag: 'Service', query: [] } as const;

/** The service itself: start page, health, API description. */
export const SERVICE_ROUTES = {
  index: {
    method: 'GET',
    path: '/',
    tag: 'Service',
    summary: 'Get the next steps',
    answer: { ...ok('The next steps; the console for callers that prefer HTML.', IndexAnswerSchema, INDEX_EXAMPLE), alsoHtml: true },
    errors: [],
  },
  live: {
    method: 'GET',
    path: '/health/live',
    tag: 'Service',
    summary: 'Check that the process answers',
    answer: ok('The process answers.', LiveAnswerSchema, { status: 'live' }),
    errors: [],
  },
  ready: {
    method: 'GET',
    path: '/health/ready',
    tag: 'Service',
    summary: 'Check that forecasts can be computed',
    answer: ok('The default version, the backend and the device, and why better backends were refused.', ReadyAnswerSchema, READY_EXAMPLE),
    errors: ['service.not_ready'],
  },
  openApi: {
    ...OPEN,
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    answer: { ...ok('OpenAPI 3.1.', { type: 'object' }), ...REVALIDATED },
    errors: ['request.invalid'],
  },
  asyncApi: {
    ...OPEN,
    method: 'GET',
    path: '/asyncapi.json',
    summary: 'Get the AsyncAPI document of live series',
    answer: { ...ok('AsyncAPI 3.0.', { type: 'object' }), ...REVALIDATED },
    errors: ['request.invalid'],
  },
  docs: {
    ...OPEN,
    method: 'GET',
    path: '/docs',
    summary: 'Get all routes as a page',
    description: 'Its script shows the OpenAPI document, with a form that sends each request. It loads nothing from other servers.',
    answer: { ...ok('HTML.', { type: 'string' }), type: 'text/html; charset=utf-8', ...REVALIDATED },
    errors: ['request.invalid'],
  },
  docsPage: {
    ...OPEN,
    method: 'GET',
    path: '/docs/{id}',
    idExample: 'tickForecast',
    summary: 'Get one page about the API',
    description: 'The same page with one route open, by its operationId; or a list: `errors`, `messages` (live series) or `settings`.',
    answer: { ...ok('HTML.', { type: 'string' }), type: 'text/html; charset=utf-8', ...REVALIDATED },
    errors: ['request.invalid'],
  },
  llms: {
    ...OPEN,
    method: 'GET',
    path: '/llms.txt',
    summary: 'Get a description of the API for language models',
    answer: { ...ok('Markdown in the format of llmstxt.org.', { type: 'string' }), type: 'text/plain; charset=utf-8', ...REVALIDATED },
    errors: ['request.invalid'],
  },
} as const satisfies Record<string, RouteSpec>;
