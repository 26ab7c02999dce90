import { randomBytes } from 'node:crypto';
import type { AccountStore } from '../accounts/AccountStore.ts';
import { RecordWatch } from '../accounts/RecordWatch.ts';
import { WebhookService } from '../accounts/WebhookService.ts';
import { AlertQueue } from '../alerts/AlertQueue.ts';
import { DeliveryWorker } from '../alerts/DeliveryWorker.ts';
import { postWebhook } from '../alerts/postWebhook.ts';
import { DueAlerts } from '../alerts/DueAlerts.ts';
import type { Webhook } from '../alerts/Webhook.ts';
import type { ForecastEvents, SeriesForecast } from '../live/ForecastEvents.ts';
import type { TrackRecord } from '../live/TrackRecord.ts';
import { levelsOf, markText } from '../live/markText.ts';
import { US_PER_MS } from '../../core/units.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

/** The alerts of the routes, over an open store. `close` stores what is waiting, and waits for attempts in flight. */
export function joinAlerts({ settings, clock, logger, metrics, link }: ServiceBasics, store: AccountStore) {
  const { allowsPrivate, timeoutMs, mostAttempts } = settings.webhooks;
  const post = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
    postWebhook(url, headers, body, { clock, timeoutMs, allowsPrivate });
  const webhooksOf = async (accountId: string): Promise<readonly Webhook[]> => (await store.findAccount(accountId))?.webhooks ?? [];
  const queue = new AlertQueue({
    store,
    webhooksOf,
    clock,
    logger,
    onAlert: (result, count) => metrics?.count('tickmark_alerts_total', { result }, count),
  });
  const worker = new DeliveryWorker({
    ...{ store, webhooksOf, post, timeoutMs, mostAttempts, clock, logger },
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    onDelivery: (result) => metrics?.count('tickmark_alert_attempts_total', { result }),
  });
  worker.start();
  let watch: RecordWatch | undefined;
  const onChange = (accountId: string): void => {
    queue.forget(accountId);
    link?.send({ kind: 'forget', accountId });
  };
  link?.on('forget', ({ accountId }) => queue.forget(accountId));
  const due = new DueAlerts();
  const forecastEvents: ForecastEvents = {
    // The history before a live series has no future any more.
    wants: ({ accountId, isMarked, futureUs, rule: own }) =>
      futureUs / US_PER_MS > clock.nowMs() && queue.mayConcern(accountId, ({ rule = own }) => isMarked || rule !== undefined),
    made: (forecast) => {
      const { accountId, touch } = forecast;
      queue.add(accountId, 'forecast.marked', (target) => {
        const webhook = { ...target, rule: forecast.rule ?? target.rule };
        const cause = due.ofForecast(accountId, webhook, forecast, clock.nowMs());
        if (cause === 'move') return dataOf(forecast);
        const level = cause && touch?.find(({ price }) => price === webhook.rule?.touch);
        return level && dataOf(forecast, { price: level.price, probability: level.probability! });
      });
    },
    settled: (forecast, { moved, moveBps }) => {
      const { accountId } = forecast;
      queue.add(accountId, 'forecast.settled', (target) =>
        due.ofOutcome(accountId, { ...target, rule: forecast.rule ?? target.rule }, forecast)
          ? { ...dataOf(forecast), moved, move_bps: moveBps }
          : undefined,
      );
      watch?.note(forecast.accountId);
    },
    flush: () => queue.flush().catch((error: unknown) => logger.warn('alerts not stored', { error })),
  };
  return {
    parts: { webhooks: new WebhookService({ store, clock, allowsPrivate, post, onChange }), forecastEvents },
    /** The record whose conclusions are watched. */
    watch: (trackRecord: TrackRecord): void => {
      watch = new RecordWatch({ store, trackRecord, alerts: queue, clock, logger });
    },
    close: async () => {
      watch?.close();
      await worker.close();
      await forecastEvents.flush();
    },
  };
}

function dataOf(forecast: SeriesForecast, touch?: { readonly price: number; readonly probability: number }) {
  const { series, model, lastUs, futureUs, probability, minMoveBps, ownThreshold, costBps } = forecast;
  const lastTick = writeTimestamp(lastUs);
  return {
    series,
    last_tick: lastTick,
    timestamp: lastTick,
    future: writeTimestamp(futureUs),
    probability,
    min_move_bps: minMoveBps,
    own_threshold: ownThreshold,
    cost_bps: costBps,
    ...levelsOf(forecast),
    ...(touch === undefined ? {} : { touch: touch.price, touch_probability: touch.probability }),
    model,
    text: markText(forecast, touch),
  };
}
