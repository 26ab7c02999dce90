import type { AlertQueue } from '../alerts/AlertQueue.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { coverageShare } from '../../engine/scoring/coverage.ts';
import { comparisonFields } from '../../engine/live/score.ts';
import { summarizeRecord } from '../live/summarizeRecord.ts';
import { dayOf, type TrackRecord } from '../live/TrackRecord.ts';
import type { AccountStore } from './AccountStore.ts';

/** How often accounts with new outcomes are looked at, and over how many days. */
const CHECK_MS = 60_000;
const DAYS = 30;
const MS_PER_DAY = 86_400_000;
/** Accounts between two looks; further ones are looked at after their next outcome. */
const MOST_ACCOUNTS = 10_000;

export type RecordWatchDeps = {
  readonly store: Pick<AccountStore, 'findAccount' | 'changeAccount'>;
  readonly trackRecord: Pick<TrackRecord, 'rows'>;
  readonly alerts: Pick<AlertQueue, 'add'>;
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Looks at the track record of accounts with new outcomes, and sends `record.worse` when its last 30 days have become worse than the
 * baseline, or hold fewer moves in their ranges than the level says. What was sent is stored with the account: one process sends it, once for each time that the record becomes worse.
 */
export class RecordWatch {
  readonly #deps: RecordWatchDeps;
  readonly #accounts = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(deps: RecordWatchDeps) {
    this.#deps = deps;
  }

  /** The account has a new outcome. */
  note(accountId: string): void {
    if (this.#accounts.size >= MOST_ACCOUNTS) return;
    this.#accounts.add(accountId);
    this.#cancel ??= this.#deps.clock.after(CHECK_MS, () => {
      this.#cancel = undefined;
      void this.check();
    });
  }

  /** Never throws. */
  async check(): Promise<void> {
    const accounts = [...this.#accounts];
    this.#accounts.clear();
    for (const accountId of accounts) {
      await this.#look(accountId).catch((error: unknown) => this.#deps.logger.warn('track record not checked for an alert', { error }));
    }
  }

  close(): void {
    this.#cancel?.();
  }

  async #look(accountId: string): Promise<void> {
    const { store, trackRecord, alerts, clock } = this.#deps;
    const { webhooks = [] } = (await store.findAccount(accountId)) ?? {};
    if (!webhooks.some(({ events }) => events.includes('record.worse'))) return;
    const from = dayOf(clock.nowMs() - DAYS * MS_PER_DAY);
    const summary = summarizeRecord((await trackRecord.rows({ accountId, from })).map(({ tally }) => tally));
    // Ranges that hold less than they say; wider ones than needed do no harm.
    const narrow = summary.coverage.map((one) => ({ ...one, ...coverageShare(one) })).filter(({ level, interval }) => interval[1] < level);
    const isWorse = summary.conclusion === 'worse' || narrow.length > 0;
    if (webhooks.every(({ recordIsWorse }) => recordIsWorse === isWorse)) return;
    let isNews = false;
    await store.changeAccount(accountId, (account) => {
      const before = account.webhooks ?? [];
      isNews = isWorse && before.some(({ recordIsWorse }) => !recordIsWorse);
      return { account: { ...account, webhooks: before.map((webhook) => ({ ...webhook, recordIsWorse: isWorse })) } };
    });
    if (!isNews) return;
    const { outcomes, marks, hits } = summary;
    const { conclusion: _conclusion, ...comparison } = comparisonFields(summary);
    const data = {
      ...{ from, outcomes, marks, hits, ...comparison },
      narrow_ranges: narrow.map(({ level, share, outcomes: of }) => ({ level, share, outcomes: of })),
    };
    alerts.add(accountId, 'record.worse', () => data);
  }
}
