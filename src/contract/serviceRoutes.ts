import { INDEX_EXAMPLE, READY_EXAMPLE } from './answerExamples.ts';
import { IndexAnswerSchema, LiveAnswerSchema, ReadyAnswerSchema } from './health.ts';
import { REVALIDATED, type RouteSpec } from './routeSpec.ts';

/** The service itself: where to begin, its health, its description. */
export const SERVICE_ROUTES = {
  index: {
    method: 'GET',
    path: '/',
    summary: 'What to do next',
    answer: {
      status: 200,
      description: 'Where to go from here; a page to whoever prefers HTML.',
      schema: IndexAnswerSchema,
      example: INDEX_EXAMPLE,
      alsoHtml: true,
    },
    errors: [],
  },
  live: {
    method: 'GET',
    path: '/health/live',
    summary: 'Whether the process answers',
    answer: { status: 200, description: 'It does.', schema: LiveAnswerSchema, example: { status: 'live' } },
    errors: [],
  },
  ready: {
    method: 'GET',
    path: '/health/ready',
    summary: 'Whether forecasts are answered, and by what',
    answer: {
      status: 200,
      description: 'Model, backend and device, and why better backends were refused.',
      schema: ReadyAnswerSchema,
      example: READY_EXAMPLE,
    },
    errors: ['service.not_ready'],
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    query: [],
    answer: { status: 200, description: 'OpenAPI 3.1.', schema: { type: 'object' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  docs: {
    method: 'GET',
    path: '/docs',
    summary: 'This document as a page',
    description: 'Without scripts and without anything from elsewhere.',
    query: [],
    answer: { status: 200, description: 'HTML.', type: 'text/html; charset=utf-8', schema: { type: 'string' }, ...REVALIDATED },
    errors: ['request.invalid'],
  },
  llms: {
    method: 'GET',
    path: '/llms.txt',
    summary: 'What a language model needs to call the service',
    query: [],
    answer: {
      status: 200,
      description: 'Markdown, as llmstxt.org has it.',
      type: 'text/plain; charset=utf-8',
      schema: { type: 'string' },
      ...REVALIDATED,
    },
    errors: ['request.invalid'],
  },
} as const satisfies Record<string, RouteSpec>;
