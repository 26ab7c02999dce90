import { createHash } from 'node:crypto';
import type { Account } from '../../src/service/accounts/AccountStore.ts';
import { sampleAccount, sampleEvent } from './sampleAccount.ts';

export type Line = Record<string, unknown>;

export const HEADER = { type: 'header', format: 'tickmark-accounts/5', createdAtMs: 1 };
export const accountLine = (id: string, given: Partial<Account> = {}): Line => ({ type: 'account', account: sampleAccount(id, given) });
export const eventLine = (id: string): Line => ({ type: 'event', event: sampleEvent(id, 'a') });

/** Lines as a transfer file: the end has the right counts and digest unless it is given; null: none. */
export function transferText(lines: readonly unknown[], end: Line | null = {}): string {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const count = (type: string): number => lines.filter((line) => (line as Line)['type'] === type).length;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const last = { type: 'end', accounts: count('account'), events: count('event'), sha256, ...end };
  return end === null ? text : `${text}${JSON.stringify(last)}\n`;
}
