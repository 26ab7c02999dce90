import type { AccountStore } from '../accounts/AccountStore.ts';
import type { Settings } from '../../core/config/settings.ts';
import { MarketService, type MarketServiceDeps, unknownMarket } from '../markets/MarketService.ts';

/** The watched markets of the routes, over an open store. */
export function joinMarkets(
  { markets: limits }: Pick<Settings, 'markets'>,
  store: AccountStore,
  { clock, refusal, onChange }: Pick<MarketServiceDeps, 'clock' | 'refusal' | 'onChange'>,
) {
  return new MarketService({
    ...{ store, clock, limits, refusal, onChange },
    markets: async (accountId) => (await store.findAccount(accountId))?.markets ?? [],
    change: async (accountId, change) => {
      const changed = await store.changeAccount(accountId, (account) => ({
        account: { ...account, markets: change(account.markets ?? []) },
      }));
      // Deleted since its key was checked.
      if (changed === undefined) throw unknownMarket();
    },
  });
}
