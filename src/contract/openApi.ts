import { ERROR_TABLE, type ErrorCode } from '../core/errorTable.ts';
import { NAMED_SCHEMAS } from './namedSchemas.ts';
import { exampleProblem } from './problem.ts';
import { describeParameter } from './queryParameters.ts';
import { ROUTES, TRANSPORT_CODES, type RouteSpec } from './routes.ts';
import { TAGS } from './routeSpec.ts';
import { shareSchemas } from './shareSchemas.ts';
import { ALERT_EXAMPLES, ALERT_SCHEMAS } from './webhooks.ts';

type Json = Record<string, unknown>;

const HEADERS: Readonly<Record<string, string>> = {
  'WWW-Authenticate': 'How to authenticate.',
  'Retry-After': 'Seconds to wait before the next attempt.',
  RateLimit:
    'State of the limit: "name";r=remaining;t=seconds until it resets; after a comma that of the account, where it has less left than the key.',
  'RateLimit-Policy': 'The limit: "name";q=quota;w=window in seconds.',
  'RateLimit-Scope': 'replica while this replica counts alone, because the database of LIMITS_SHARED does not answer; otherwise absent.',
  ETag: 'Identifies this version of the answer; send it as If-None-Match.',
  'Cache-Control': 'no-cache with an ETag, no-store where the answer contains a secret.',
  Vary: 'Accept-Encoding: large answers are compressed for callers that accept gzip.',
};

/** Header fields of an answer with this status, in addition to the common one. */
const STATUS_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'RateLimit-Scope'],
  503: ['Retry-After'],
};

const VALIDATORS = ['ETag', 'Cache-Control'];

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'ETag of an earlier answer; 304 if it has not changed.',
  schema: { type: 'string' },
};

const refer = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const headers = (names: readonly string[]): Json =>
  names.length === 0 ? {} : { headers: Object.fromEntries(names.map((name) => [name, refer('headers', name)])) };

function named(examples: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

/** An example of at least so many characters that several places show is written once. */
const LONG_EXAMPLE = 180;

/** Examples by name, and those that were moved to the components. */
class Examples {
  readonly shared: Record<string, Json> = {};
  /** By text: the first place that shows it, and whether another one does. */
  readonly #places = new Map<string, { readonly name: string; isShared: boolean }>();

  constructor(routes: Readonly<Record<string, RouteSpec>>) {
    for (const [name, { body, answer }] of Object.entries(routes))
      for (const value of [body?.example(), answer.example].filter((one) => one !== undefined)) {
        const text = JSON.stringify(value);
        const known = this.#places.get(text);
        if (known === undefined) this.#places.set(text, { name, isShared: false });
        else known.isShared = text.length >= LONG_EXAMPLE;
      }
  }

  /** The field `example` or `examples` of a place. */
  field(value: unknown): Json {
    const { name, isShared } = this.#places.get(JSON.stringify(value))!;
    if (!isShared) return { example: value };
    this.shared[name] = { value };
    return { examples: { [name]: refer('examples', name) } };
  }
}

/** The answers with problems, each once: routes with the same codes of a status refer to the same one. */
class ProblemAnswers {
  readonly answers: Record<string, Json> = {};
  readonly #names = new Map<string, string>();

  refer(status: string, codes: readonly ErrorCode[]): Json {
    const key = [...codes].sort().join();
    const known = this.#names.get(key);
    if (known !== undefined) return refer('responses', known);
    const same = Object.keys(this.answers).filter((each) => each.startsWith(`${status}`)).length;
    const name = `${status}${same === 0 ? '' : `_${same + 1}`}`;
    this.#names.set(key, name);
    this.answers[name] = {
      description: `${codes.map((code) => `\`${code}\``).join(', ')}`,
      ...headers(STATUS_HEADERS[Number(status)] ?? []),
      content: {
        'application/problem+json': {
          schema: refer('schemas', 'Problem'),
          examples: Object.fromEntries(codes.map((code) => [code, refer('examples', code)])),
        },
      },
    };
    return refer('responses', name);
  }
}

/** What several operations refer to. */
type Shared = { readonly problems: ProblemAnswers; readonly shown: Examples };

const statusesOf = (codes: readonly ErrorCode[]): number[] =>
  [...new Set(codes.map((code): number => ERROR_TABLE[code].status))].sort((a, b) => a - b);

function linksOf(links: NonNullable<RouteSpec['links']>): Json {
  return Object.fromEntries(links.map(({ to, id }) => [to, { operationId: to, parameters: { id: `$response.body#${id}` } }]));
}

function answersOf(route: RouteSpec, { problems, shown }: Shared): Json {
  const own = statusesOf(route.errors);
  const codes = [...new Set([...TRANSPORT_CODES, ...route.errors])];
  const statuses = statusesOf(codes).filter((status) => status >= 500 || own.includes(status));
  const { status, description, schema, example, examples, type = 'application/json', revalidates, gzipFromBytes, alsoHtml } = route.answer;
  const content = {
    schema,
    ...(example === undefined ? {} : shown.field(example)),
    ...(examples === undefined ? {} : { examples: named(examples) }),
  };
  const fields = [
    ...(status === 201 ? ['Cache-Control'] : []),
    ...(route.showsLimit === true || route.limit?.name === 'forecasts' ? ['RateLimit'] : []),
    ...(revalidates === true ? VALIDATORS : []),
    ...(gzipFromBytes === undefined ? [] : ['Vary']),
  ];
  return {
    [status]: {
      description,
      ...headers(fields),
      content: { [type]: content, ...(alsoHtml === true ? { 'text/html': { schema: { type: 'string' } } } : {}) },
      ...(route.links === undefined ? {} : { links: linksOf(route.links) }),
    },
    ...(revalidates === true ? { 304: refer('responses', 'NotModified') } : {}),
    ...Object.fromEntries(
      statuses.map((each) => [
        each,
        problems.refer(
          `${each}`,
          codes.filter((code) => ERROR_TABLE[code].status === each),
        ),
      ]),
    ),
    // Any request can get them: written for each status of each route, they would be a tenth of the document.
    '4XX': problems.refer(
      '4XX',
      TRANSPORT_CODES.filter((code) => ERROR_TABLE[code].status < 500),
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
  return [
    ...inPath,
    ...(route.answer.revalidates === true ? [refer('parameters', IF_NONE_MATCH.name)] : []),
    ...(route.query ?? []).map((name) => refer('parameters', name)),
  ];
}

function operation(name: string, route: RouteSpec, shared: Shared): Json {
  const parameters = parametersOf(route);
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    security: [
      ...(route.needsKey === true ? [{ ApiKey: [] }, { Bearer: [] }] : route.needsPassword === true ? [{ Password: [] }] : []),
      ...(route.needsKey === true || route.takesSession === true ? [{ Session: [] }] : []),
    ],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: route.body.schema, ...shared.shown.field(route.body.example()) } },
          },
        }),
    responses: answersOf(route, shared),
  };
}

/** What the service posts to the targets of an account, and the header fields that all of it has. */
function webhooks(): { readonly posts: Json; readonly parameters: Json } {
  const signed = { 'webhook-id': 'The same for all attempts of one alert.', 'webhook-timestamp': 'Seconds since 1970 of this attempt.' };
  const fields = { ...signed, 'webhook-signature': '`v1,` and the base64 of HMAC-SHA-256 over `id.timestamp.body`.' };
  const parameters = Object.keys(fields).map((name) => refer('parameters', name));
  const described = Object.entries(fields).map(([name, description]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' } },
  ]);
  const posts = Object.fromEntries(
    Object.entries(ALERT_SCHEMAS).map(([name, schema]) => {
      const type = schema.properties.type.const;
      const example = { type, timestamp: '2024-01-02T09:33:18.250Z', data: ALERT_EXAMPLES[name as keyof typeof ALERT_EXAMPLES] };
      return [
        type,
        {
          post: {
            ...{ operationId: `receive${name}`, tags: ['Alerts'], summary: `Receive an alert ${type}`, parameters, security: [] },
            requestBody: { required: true, content: { 'application/json': { schema, example } } },
            responses: {
              '2XX': { description: 'Delivered.' },
              '4XX': { description: 'Sent again later.' },
            },
          },
        },
      ];
    }),
  );
  return { posts, parameters: Object.fromEntries(described) as Json };
}

/** Builds the OpenAPI 3.1 document from the route table, the schemas and the error table. Plain JSON. */
export function openApi(version: string): Json {
  const shared: Shared = { problems: new ProblemAnswers(), shown: new Examples(ROUTES) };
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<RouteSpec>(ROUTES)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route, shared) };
  }
  const codes = [...new Set<ErrorCode>([...TRANSPORT_CODES, ...Object.values<RouteSpec>(ROUTES).flatMap(({ errors }) => errors)])];
  const used = new Set(Object.values<RouteSpec>(ROUTES).flatMap(({ query = [] }) => query));
  const { posts, parameters } = webhooks();
  const document = shareSchemas({ paths, webhooks: posts }, NAMED_SCHEMAS);
  return {
    openapi: '3.1.0',
    info: {
      title: 'tickmark',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'Forecasts of trade opportunities from irregular millisecond ticks. The examples of a problem say what to do, and `hint` of a field how to fix it. Each answer has X-Request-Id, which names the request in the log: the one sent, if well-formed.',
    },
    servers: [{ url: '/', description: 'The service that returned this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: document.value['paths'],
    webhooks: document.value['webhooks'],
    components: {
      schemas: document.schemas,
      responses: {
        NotModified: { description: 'The answer has not changed since the given ETag.', ...headers(VALIDATORS) },
        ...shared.problems.answers,
      },
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      parameters: {
        [IF_NONE_MATCH.name]: IF_NONE_MATCH,
        ...parameters,
        ...Object.fromEntries([...used].map((name) => [name, { name, in: 'query', ...describeParameter(name) }])),
      },
      examples: {
        ...shared.shown.shared,
        ...Object.fromEntries(codes.map((code) => [code, { description: ERROR_TABLE[code].remedy, value: exampleProblem(code) }])),
      },
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'Api-Key', description: 'From POST /signup.' },
        Bearer: { type: 'http', scheme: 'bearer', description: 'The same key as a Bearer token.' },
        Session: { type: 'apiKey', in: 'cookie', name: 'tickmark_session', description: 'From POST /session, for pages of the service.' },
        Password: { type: 'http', scheme: 'basic', description: 'E-mail and password of the account, in UTF-8.' },
      },
    },
  };
}
