import { SESSION_EXAMPLE, SESSION_REQUEST_EXAMPLE, SessionListSchema, SessionRequestSchema, SessionSchema } from './account.ts';
import { BODY_CODES, KEY_CODES, PASSWORD_CODES, type RouteSpec } from './routeSpec.ts';

const STARTED = {
  status: 201,
  description: 'The session; Set-Cookie has its token.',
  schema: SessionSchema,
  example: SESSION_EXAMPLE,
} as const;

/** Sessions of browsers, by cookie. */
export const SESSION_ROUTES = {
  signIn: {
    method: 'POST',
    path: '/session',
    tag: 'Accounts',
    summary: 'Sign in: start a session of a browser',
    isHeavy: true,
    body: { schema: SessionRequestSchema, example: () => SESSION_REQUEST_EXAMPLE, limit: 'account' },
    query: [],
    answer: STARTED,
    links: [{ to: 'endSession', id: '/id' }],
    errors: [...BODY_CODES, ...PASSWORD_CODES],
  },
  linkSession: {
    method: 'POST',
    path: '/session/link',
    tag: 'Accounts',
    summary: 'Start a session with the key of the console link',
    needsKey: true,
    query: [],
    answer: STARTED,
    errors: ['request.invalid', ...KEY_CODES, 'session.link_refused', 'account.unknown', 'service.not_ready'],
  },
  sessionList: {
    method: 'GET',
    path: '/session',
    tag: 'Accounts',
    summary: 'List the sessions of the account',
    needsPassword: true,
    takesSession: true,
    query: [],
    answer: { status: 200, description: 'Without their tokens.', schema: SessionListSchema, example: { sessions: [SESSION_EXAMPLE] } },
    errors: PASSWORD_CODES,
  },
  endSession: {
    method: 'DELETE',
    path: '/session/{id}',
    tag: 'Accounts',
    idExample: SESSION_EXAMPLE.id,
    summary: 'End a session; `current`: that of this request',
    needsPassword: true,
    takesSession: true,
    query: [],
    answer: { status: 200, description: 'The session as it was.', schema: SessionSchema, example: SESSION_EXAMPLE },
    errors: [...PASSWORD_CODES, 'session.unknown'],
  },
} as const satisfies Record<string, RouteSpec>;
