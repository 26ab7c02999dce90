import { ERROR_TABLE, type ErrorCode, FIELD_CODES } from '../core/errorTable.ts';
import { ProblemSchema, exampleProblem } from './problem.ts';
import { QUERY_PARAMETERS } from './query.ts';
import { ROUTES, TRANSPORT_CODES, type RouteSpec } from './routes.ts';

type Json = Record<string, unknown>;

/** Header fields of an answer with this status, in addition to the common ones. */
const STATUS_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'How to authenticate.' },
  429: {
    'Retry-After': 'Seconds to wait before the next attempt.',
    RateLimit:
      'State of the limit: "name";r=remaining;t=seconds until it resets; with that of the account after a comma, where it has less left than the key.',
    'RateLimit-Policy': 'The limit: "name";q=quota;w=window in seconds.',
  },
  405: { Allow: 'The methods of this path.' },
  503: { 'Retry-After': 'Seconds to wait before the next attempt.' },
};

function headers(fields: Readonly<Record<string, string>>): Json {
  const all = { 'X-Request-Id': 'Identifies this request in the log of the service.', ...fields };
  return Object.fromEntries(Object.entries(all).map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

function problemAnswer(status: number, codes: readonly ErrorCode[]): Json {
  const lines = codes.map((code) => `- \`${code}\`: ${ERROR_TABLE[code].title} ${ERROR_TABLE[code].remedy}`);
  return {
    description: lines.join('\n'),
    headers: headers(STATUS_HEADERS[status] ?? {}),
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
        examples: named(Object.fromEntries(codes.map((code) => [code, exampleProblem(code)]))),
      },
    },
  };
}

const VALIDATORS = { ETag: 'Identifies this version of the answer; send it as If-None-Match.', 'Cache-Control': 'no-cache' };

function linksOf(links: NonNullable<RouteSpec['links']>): Json {
  return Object.fromEntries(links.map(({ to, id }) => [to, { operationId: to, parameters: { id: `$response.body#${id}` } }]));
}

function named(examples: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

function answersOf(route: RouteSpec): Json {
  const codes = [...new Set([...TRANSPORT_CODES, ...route.errors])];
  const statuses = [...new Set(codes.map((code): number => ERROR_TABLE[code].status))].sort((a, b) => a - b);
  const { status, description, schema, example, examples, type = 'application/json', revalidates, gzipFromBytes, alsoHtml } = route.answer;
  const content = {
    schema,
    ...(example === undefined ? {} : { example }),
    ...(examples === undefined ? {} : { examples: named(examples) }),
  };
  const validators = revalidates === true ? VALIDATORS : {};
  const fields = {
    ...(status === 201 ? { 'Cache-Control': 'no-store' } : {}),
    ...validators,
    ...(gzipFromBytes === undefined ? {} : { Vary: 'Accept-Encoding: large answers are compressed for callers that accept gzip.' }),
  };
  return {
    [status]: {
      description,
      headers: headers(fields),
      content: { [type]: content, ...(alsoHtml === true ? { 'text/html': { schema: { type: 'string' } } } : {}) },
      ...(route.links === undefined ? {} : { links: linksOf(route.links) }),
    },
    ...(revalidates === true
      ? { 304: { description: 'The answer has not changed since the given ETag.', headers: headers(validators) } }
      : {}),
    ...Object.fromEntries(
      statuses.map((each) => [
        each,
        problemAnswer(
          each,
          codes.filter((code) => ERROR_TABLE[code].status === each),
        ),
      ]),
    ),
  };
}

function parametersOf(route: RouteSpec): Json[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(route.idExample === undefined ? {} : { example: route.idExample }),
  }));
  const tag = {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'ETag of an earlier answer; 304 if it has not changed.',
    schema: { type: 'string' },
  };
  return [
    ...inPath,
    ...(route.answer.revalidates === true ? [tag] : []),
    ...(route.query ?? []).map((name) => ({ name, in: 'query', required: false, ...QUERY_PARAMETERS[name] })),
  ];
}

function operation(name: string, route: RouteSpec): Json {
  const parameters = parametersOf(route);
  return {
    operationId: name,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.needsKey === true ? { security: [{ ApiKey: [] }] } : {}),
    ...(route.needsPassword === true ? { security: [{ Password: [] }] } : {}),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body.schema, example: route.body.example() } } } }),
    responses: answersOf(route),
  };
}

/** Builds the OpenAPI 3.1 document from the route table, the schemas and the error table. Plain JSON. */
export function openApi(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(ROUTES)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route) };
  }
  const fieldCodes = Object.entries(FIELD_CODES).map(([code, hint]) => `- \`${code}\`: ${hint}`);
  return {
    openapi: '3.1.0',
    info: {
      title: 'tickmark',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: `Forecasts of trade opportunities from irregular millisecond ticks.\n\nCodes of \`errors[].code\`:\n\n${fieldCodes.join('\n')}`,
    },
    paths,
    components: {
      schemas: { Problem: ProblemSchema },
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'Api-Key', description: 'From POST /signup.' },
        Password: { type: 'http', scheme: 'basic', description: 'E-mail and password of the account, in UTF-8.' },
      },
    },
  };
}
