import type { Clock } from '../../core/Clock.ts';
import { every } from '../../core/every.ts';
import type { Logger } from '../../core/Logger.ts';
import type { AccountStore } from '../accounts/AccountStore.ts';

const PRUNE_MS = 6 * 3_600_000;

/** Deletes what has expired, now and every six hours; returns a function that stops it. `prune` resolves to the number of deleted rows. */
export function pruneRegularly(
  what: string,
  prune: () => Promise<number>,
  { clock, logger }: { clock: Clock; logger: Logger },
): () => void {
  const run = (): void =>
    void prune().then(
      (count) => {
        if (count > 0) logger.info(`${what} pruned`, { count });
      },
      (error: unknown) => logger.warn(`${what} not pruned`, { error }),
    );
  run();
  return every(clock, PRUNE_MS, run);
}

/** What memory keeps of accounts. */
export type Memory = { accounts(): readonly string[]; forget(accountId: string): void };

/**
 * Forgets what memory keeps of accounts that do not exist any more: `changed` looks at one that has changed, and every six hours all are looked
 * at, because a command may have deleted them.
 */
export function forgetDeleted(
  memories: readonly Memory[],
  store: Pick<AccountStore, 'findAccount'>,
  { clock, logger }: { clock: Clock; logger: Logger },
): { changed(accountId: string): void; close(): void } {
  const look = async (accountId: string): Promise<boolean> => {
    if ((await store.findAccount(accountId)) !== undefined) return false;
    for (const memory of memories) memory.forget(accountId);
    return true;
  };
  const lookAtAll = async (): Promise<number> => {
    let count = 0;
    for (const accountId of new Set(memories.flatMap((memory) => memory.accounts()))) if (await look(accountId)) count++;
    return count;
  };
  const stop = pruneRegularly('memory of deleted accounts', lookAtAll, { clock, logger });
  return {
    changed: (accountId) => {
      // If the store does not answer, the next look at all finds it.
      if (memories.some((memory) => memory.accounts().includes(accountId))) void look(accountId).catch(() => {});
    },
    close: stop,
  };
}
