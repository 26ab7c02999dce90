import type { Account } from './AccountStore.ts';
import type { AuditEvent } from './AuditEvent.ts';

export const ACCOUNTS = 'accounts';
export const AUDIT_LOG = 'audit_log';
export const LIMITS = 'limits';
export const SCHEMA = 'schema';

/**
 * An account with its keys in one document, so that a change of either is one write, and a key and its owner are found in one read. `_id`
 * is the normalised form of the e-mail, which is therefore unique without another index.
 */
export type AccountDocument = Omit<Account, 'emailKey'> & {
  readonly _id: string;
  /** Counts the changes: a change is written only if the version is still the one that was read. */
  readonly version: number;
};

export type EventDocument = Omit<AuditEvent, 'id'> & { readonly _id: string };

export function toAccount({ _id, version: _version, ...account }: AccountDocument): Account {
  return { ...account, emailKey: _id };
}

export function toAccountDocument({ emailKey, ...account }: Account, version: number): AccountDocument {
  return { _id: emailKey, ...account, version };
}

export function toEvent({ _id, ...event }: EventDocument): AuditEvent {
  return { ...event, id: _id };
}

export function toEventDocument({ id, ...event }: AuditEvent): EventDocument {
  return { _id: id, ...event };
}
