import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../core/ServiceError.ts';
import type { AccountStore } from '../accounts/AccountStore.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import { Feeds } from '../markets/Feeds.ts';
import { type FindMarket, openExchange, readBars } from '../markets/openExchange.ts';
import type { Market } from '../markets/Market.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

/** Forecasts of watched markets that run at the same time: requests come between them. */
const MOST_RUNNING = 8;
/** They may wait longer than those of callers. */
const PATIENCE_MS = 30_000;

/** The markets that this process feeds, over the parts of the routes. */
export function joinFeeds(
  { settings, clock, logger, metrics }: Pick<ServiceBasics, 'settings' | 'clock' | 'logger' | 'metrics'>,
  store: AccountStore,
  parts: HttpParts,
  { find, refusal }: { readonly find: FindMarket; readonly refusal: (market: Market) => string | undefined },
): Feeds {
  let running = 0;
  const waiting: (() => void)[] = [];
  const { rates, memories, models, trackRecord, forecastEvents: events } = parts;
  return new Feeds({
    ...{ store, clock, logger, refusal, most: settings.markets.most, open: openExchange(find), bars: readBars(find) },
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    onCount: (counts) => {
      for (const [state, count] of Object.entries(counts)) metrics?.set('tickmark_market_feeds', count, { state });
    },
    parts: {
      ...{ store, clock, rates, memories, trackRecord, events, mostForecasts: settings.markets.forecasts },
      usesMemory: (ofBars) => models.usesMemory(undefined, ofBars),
      async compute(request, call) {
        if (running >= MOST_RUNNING) await new Promise<void>((resolve) => waiting.push(resolve));
        else running++;
        try {
          return await parts.forecast(request, { deadlineMs: clock.monotonicMs() + PATIENCE_MS, parseMs: 0, ...call });
        } finally {
          // Its place goes to the next one.
          const next = waiting.shift();
          if (next === undefined) running--;
          else next();
        }
      },
      onForecast: () => metrics?.live('computed'),
      onSkipped(thrown) {
        metrics?.live('skipped');
        const code = thrown instanceof ServiceError ? thrown.code : 'internal.unexpected';
        logger.warn('forecast of a watched market not made', { code, error: thrown });
        return code;
      },
    },
  });
}
