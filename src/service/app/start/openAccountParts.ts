import { SeriesRates } from '../../../engine/live/SeriesRates.ts';
import { SeriesMemories } from '../../live/SeriesMemories.ts';
import type { MarketServiceDeps } from '../../markets/MarketService.ts';
import { forgetDeleted } from '../forgetDeleted.ts';
import { joinAccounts } from '../joinAccounts.ts';
import { joinAlerts } from '../joinAlerts.ts';
import { joinMarkets } from '../joinMarkets.ts';
import { joinTrackRecord } from '../joinTrackRecord.ts';
import type { openAccountStore } from './openAccountStore.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

/** What belongs to accounts: keys and limits, alerts, track record, and what memory keeps of their series. */
export function openAccountParts(
  { settings, clock, logger, metrics, link, opened }: ServiceBasics,
  { access, outages }: Pick<Awaited<ReturnType<typeof openAccountStore>>, 'access' | 'outages'>,
  isAlone: boolean,
  refusal: MarketServiceDeps['refusal'],
) {
  const { store } = access;
  const alerts = opened.add(joinAlerts(settings, store, { clock, logger, metrics, others: link }));
  const trackRecord = opened.add(joinTrackRecord(settings, store, { clock, logger, events: alerts.parts.forecastEvents }));
  const rates = new SeriesRates();
  // Of MongoDB, other hosts may have replicas.
  const claims = settings.mongodbUri === '' ? link?.claims : undefined;
  const deps = { store, clock, logger, isAlone, claims, forecasts: trackRecord.memory };
  const memories = opened.add(settings.keepsMemory ? new SeriesMemories(deps) : undefined);
  const kept = [rates, memories, trackRecord.memory].filter((memory) => memory !== undefined);
  const { changed: onChange } = opened.add(forgetDeleted(kept, store, { clock, logger }));
  link?.onForget(onChange);
  const accounts = opened.add(joinAccounts(settings, access, { clock, logger, others: link, keysOutage: outages.keys, onChange }));
  alerts.watch(trackRecord.parts.trackRecord);
  let onMarkets = (): void => {};
  const markets = joinMarkets(settings, store, { clock, refusal, onChange: () => onMarkets() });
  return {
    accounts,
    parts: { ...accounts.parts, ...alerts.parts, ...trackRecord.parts, rates, memories, markets },
    watchMarkets: (run: () => void) => void (onMarkets = run),
  };
}
