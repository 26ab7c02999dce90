import { SESSION_EXAMPLE, SessionListSchema, SessionRequestSchema, SessionSchema } from './account.ts';
import { BODY_CODES, KEY_CODES, PASSWORD_CODES, type RouteSpec, created, ok } from './routeSpec.ts';

const STARTED = created('The session; Set-Cookie has its token.', SessionSchema, SESSION_EXAMPLE);

const BY_KEY = { tag: 'Accounts', needsKey: true, query: [] } as const;
const BY_SESSION = { tag: 'Accounts', needsPassword: true, takesSession: true, query: [] } as const;
const OPEN = { tag: 'Accounts', query: [] } as const;

/** Sessions of browsers, by cookie. */
export const SESSION_ROUTES = {
  signIn: {
    ...OPEN,
    method: 'POST',
    path: '/session',
    summary: 'Sign in: start a session of a browser',
    isHeavy: true,
    body: {
      schema: SessionRequestSchema,
      example: () => ({ email: 'trader@example.com', password: 'correct horse 42' }),
      limit: 'account',
    },
    answer: STARTED,
    links: [{ to: 'endSession', id: '/id' }],
    errors: [...BODY_CODES, ...PASSWORD_CODES],
  },
  linkSession: {
    ...BY_KEY,
    method: 'POST',
    path: '/session/link',
    summary: 'Start a session with the key of the console link',
    answer: STARTED,
    errors: ['request.invalid', ...KEY_CODES, 'session.link_refused', 'account.unknown', 'service.not_ready'],
  },
  sessionList: {
    ...BY_SESSION,
    method: 'GET',
    path: '/session',
    summary: 'List the sessions of the account',
    answer: ok('Without their tokens.', SessionListSchema, { sessions: [SESSION_EXAMPLE] }),
    errors: PASSWORD_CODES,
  },
  endSession: {
    ...BY_SESSION,
    method: 'DELETE',
    path: '/session/{id}',
    idExample: SESSION_EXAMPLE.id,
    summary: 'End a session; `current`: that of this request',
    answer: ok('The session as it was.', SessionSchema, SESSION_EXAMPLE),
    errors: [...PASSWORD_CODES, 'session.unknown'],
  },
} as const satisfies Record<string, RouteSpec>;
