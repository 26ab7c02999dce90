import { randomUUID } from 'node:crypto';

/** The events of an account, and the backups of all of them. */
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
  'session.started',
  'session.ended',
  'webhook.added',
  'webhook.changed',
  'webhook.removed',
  'backup.made',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who acted: a person with the password of the account, a key of the account, the operator at the command line, or an unknown caller. */
export const AUDIT_ACTORS = ['owner', 'key', 'operator', 'anybody'] as const;

type AuditActor = (typeof AUDIT_ACTORS)[number];

/** Replaces the account id: a login with an e-mail that no account has. */
export const NO_ACCOUNT = 'none';
/** Replaces the account id: a backup. */
export const ALL_ACCOUNTS = 'all';

/** One entry of the audit log. It contains no secret, no address and no e-mail: entries of a deleted account identify no person. */
export type AuditEvent = {
  readonly id: string;
  readonly atMs: number;
  readonly action: AuditAction;
  readonly actor: AuditActor;
  readonly accountId: string;
  /** The key that was issued, revoked or replaced by a rotation, or the session that was started or ended. */
  readonly keyId: string | null;
  /** X-Request-Id of the request that caused the event; null at the command line. */
  readonly requestId: string | null;
};

/** The origin of a requested change. */
export type Origin = { readonly actor: AuditActor; readonly requestId: string | null };

export function auditEvent(action: AuditAction, { actor, requestId }: Origin, accountId: string, atMs: number, keyId?: string): AuditEvent {
  return { id: randomUUID(), atMs, action, actor, accountId, keyId: keyId ?? null, requestId };
}
