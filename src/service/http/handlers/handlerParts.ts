import type { Static, TSchema } from 'typebox';
import type { Origin } from '../../accounts/AuditEvent.ts';
import type { RequestContext } from '../RequestContext.ts';

type AnswerOf<Route> = Route extends { readonly answer: { readonly schema: infer Schema extends TSchema } }
  ? Static<Schema> | string | Buffer
  : never;

/** The handlers of some routes: each answers an object of the type in the route table, which is sent as JSON, or its text or UTF-8 bytes. */
export type Handlers<Routes> = {
  readonly [Name in keyof Routes]: (request: RequestContext) => AnswerOf<Routes[Name]> | Promise<AnswerOf<Routes[Name]>>;
};

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Of the path. */
export const idOf = ({ params }: Pick<RequestContext, 'params'>): string => params['id'] ?? '';

/** Asserts that a route which needs a key or a password has one. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The route table says that this route needs neither key nor password.');
  return value;
}

export const byOwner = ({ requestId }: RequestContext): Origin => ({ actor: 'owner', requestId });
