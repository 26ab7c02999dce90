import { allAccounts } from '../../accounts/transfer/exportAccounts.ts';
import { withAccounts } from '../../app/openAccounts.ts';
import { readSettings } from '../../config/settings.ts';
import { US_PER_MS } from '../../core/units.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { accountJson, accountLine, eventJson, eventLine, keyLine } from './accountText.ts';

export type ListOptions = { readonly company?: string; readonly limit: number };
/** `since` in microseconds. */
export type EventOptions = { readonly since?: number; readonly limit: number };

const EVENTS_SHOWN = 20;

export async function listAccounts({ out, err }: CliContext, { json, company, limit }: GlobalOptions & ListOptions): Promise<void> {
  await withAccounts(readSettings(), async ({ store, clock }) => {
    const found = [];
    let isMore = false;
    for await (const account of allAccounts(store, company)) {
      isMore = found.length === limit;
      if (isMore) break;
      found.push(account);
    }
    const nowMs = clock.nowMs();
    if (json === true) return out(jsonLine({ accounts: found.map((account) => accountJson(account, nowMs)), isMore }));
    out(found.map((account) => `${accountLine(account, nowMs)}\n`).join('') || 'No account.\n');
    if (isMore) err(`tickmark: there are more than ${limit}; --limit shows them.\n`);
  });
}

export async function showAccount({ out }: CliContext, emailOrId: string, { json }: GlobalOptions): Promise<void> {
  await withAccounts(readSettings(), async ({ store, clock, find }) => {
    const account = await find(emailOrId);
    const events = await store.listEvents({ limit: EVENTS_SHOWN, accountId: account.id });
    const nowMs = clock.nowMs();
    if (json === true) return out(jsonLine({ ...accountJson(account, nowMs), events: events.map(eventJson) }));
    const keys = account.keys.map((key) => `  ${keyLine(key, nowMs)}`);
    out(
      `${[accountLine(account, nowMs), 'Keys:', ...keys, 'Last events:', ...events.map((event) => `  ${eventLine(event)}`)].join('\n')}\n`,
    );
  });
}

export async function showEvents(
  { out }: CliContext,
  emailOrId: string | undefined,
  { json, since, limit }: GlobalOptions & EventOptions,
): Promise<void> {
  await withAccounts(readSettings(), async ({ store, clock, find }) => {
    // Of an account that is deleted there is only its id.
    const accountId = emailOrId?.includes('@') === true ? (await find(emailOrId)).id : emailOrId;
    const events = await store.listEvents({
      limit,
      ...(accountId === undefined ? {} : { accountId }),
      ...(since === undefined ? {} : { sinceMs: clock.nowMs() - since / US_PER_MS }),
    });
    if (json === true) return out(jsonLine({ events: events.map(eventJson) }));
    out(events.map((event) => `${eventLine(event)}\n`).join('') || 'No event.\n');
  });
}
