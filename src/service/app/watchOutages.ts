import type { Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { StoreOutage } from '../accounts/StoreOutage.ts';

/** Outages of the store for keys and for shared limits; each is logged once when it begins and once when it ends. */
export function watchOutages(
  { keyOutageMs }: Pick<Settings, 'keyOutageMs'>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Readonly<Record<'keys' | 'limits', StoreOutage>> {
  const watch = (began: () => void, ended: string): StoreOutage =>
    new StoreOutage(clock, (lastedMs) => (lastedMs === undefined ? began() : logger.info(ended, { ms: Math.round(lastedMs) })));
  return {
    keys: watch(
      () =>
        logger.warn('the account store does not answer: keys that were valid before are accepted until the time given', {
          until: new Date(clock.nowMs() + keyOutageMs).toISOString(),
        }),
      'the account store answers again; keys are checked again',
    ),
    limits: watch(
      () => logger.warn('MongoDB does not count the limits: this replica counts alone, and answers have RateLimit-Scope: replica'),
      'MongoDB counts the limits again',
    ),
  };
}
