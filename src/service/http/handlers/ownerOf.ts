import type { Origin } from '../../accounts/AuditEvent.ts';
import type { RequestContext } from '../RequestContext.ts';

/** Asserts that a route which needs a key or a password has one. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The route table says that this route needs neither key nor password.');
  return value;
}

export const byOwner = ({ requestId }: RequestContext): Origin => ({ actor: 'owner', requestId });
