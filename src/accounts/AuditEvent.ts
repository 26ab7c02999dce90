import { randomUUID } from 'node:crypto';

/** What can happen to an account. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.imported',
  'account.disabled',
  'account.enabled',
  'account.deleted',
  'account.login_failed',
  'account.password_changed',
  'key.issued',
  'key.rotated',
  'key.revoked',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who did it: somebody with the account's password, a key of the account, the operator at the command line, or somebody unknown. */
export const AUDIT_ACTORS = ['owner', 'key', 'operator', 'anybody'] as const;

export type AuditActor = (typeof AUDIT_ACTORS)[number];

/** In place of an account id: a login with an e-mail that no account has. */
export const NO_ACCOUNT = 'none';

/** One line of the audit log. It holds no secret, no address and no e-mail: what is left of a deleted account names nobody. */
export type AuditEvent = {
  readonly id: string;
  readonly atMs: number;
  readonly action: AuditAction;
  readonly actor: AuditActor;
  readonly accountId: string;
  /** The key that was issued, revoked or rotated away. */
  readonly keyId: string | null;
  /** X-Request-Id of the request that did it; null at the command line. */
  readonly requestId: string | null;
};

/** From where a change is asked for. */
export type Origin = { readonly actor: AuditActor; readonly requestId: string | null };

export function auditEvent(action: AuditAction, { actor, requestId }: Origin, accountId: string, atMs: number, keyId?: string): AuditEvent {
  return { id: randomUUID(), atMs, action, actor, accountId, keyId: keyId ?? null, requestId };
}
