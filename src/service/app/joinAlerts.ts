import { randomBytes } from 'node:crypto';
import type { AccountStore } from '../accounts/AccountStore.ts';
import { RecordWatch } from '../accounts/RecordWatch.ts';
import { WebhookService } from '../accounts/WebhookService.ts';
import { AlertQueue } from '../alerts/AlertQueue.ts';
import { DeliveryWorker } from '../alerts/DeliveryWorker.ts';
import { postWebhook } from '../alerts/postWebhook.ts';
import type { Webhook } from '../alerts/Webhook.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import type { ForecastEvents, MarkedForecast } from '../live/ForecastEvents.ts';
import type { TrackRecord } from '../live/TrackRecord.ts';
import { markText } from '../live/markText.ts';
import type { Metrics } from '../../core/observability/Metrics.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import type { OtherWorkers } from './joinAccounts.ts';

export type JoinedAlerts = {
  readonly parts: Pick<HttpParts, 'webhooks' | 'forecastEvents'>;
  /** The record whose conclusions are watched. */
  watch(trackRecord: TrackRecord): void;
  close(): Promise<void>;
};

/** The alerts of the routes, over an open store. `close` stores what is waiting, and waits for attempts in flight. */
export function joinAlerts(
  { webhooks: settings }: Pick<Settings, 'webhooks'>,
  store: AccountStore,
  { clock, logger, metrics, others }: { clock: Clock; logger: Logger; metrics: Metrics | undefined; others?: OtherWorkers | undefined },
): JoinedAlerts {
  const { allowsPrivate, timeoutMs, mostAttempts } = settings;
  const post = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
    postWebhook(url, headers, body, { clock, timeoutMs, allowsPrivate });
  const webhooksOf = async (accountId: string): Promise<readonly Webhook[]> => (await store.findAccount(accountId))?.webhooks ?? [];
  const queue = new AlertQueue({ store, webhooksOf, clock, logger, onAlert: (result, count) => metrics?.alerts(result, count) });
  const worker = new DeliveryWorker({
    ...{ store, webhooksOf, post, timeoutMs, mostAttempts, clock, logger },
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    onDelivery: (result) => metrics?.delivery(result),
  });
  worker.start();
  let watch: RecordWatch | undefined;
  const onChange = (accountId: string): void => {
    queue.forget(accountId);
    others?.forget(accountId);
  };
  others?.onForget((accountId) => queue.forget(accountId));
  const forecastEvents: ForecastEvents = {
    marked: (forecast) => queue.add(forecast.accountId, 'forecast.marked', dataOf(forecast)),
    settled: (forecast, { moved, moveBps }) => {
      queue.add(forecast.accountId, 'forecast.settled', { ...dataOf(forecast), moved, move_bps: moveBps });
      watch?.note(forecast.accountId);
    },
  };
  return {
    parts: { webhooks: new WebhookService({ store, clock, allowsPrivate, post, onChange }), forecastEvents },
    watch: (trackRecord) => {
      watch = new RecordWatch({ store, trackRecord, alerts: queue, clock, logger });
    },
    close: async () => {
      watch?.close();
      await worker.close();
      await queue.flush().catch((error: unknown) => logger.warn('alerts not stored', { error }));
    },
  };
}

function dataOf(marked: MarkedForecast) {
  const { series, model, lastUs, futureUs, probability, minMoveBps, ownThreshold, costBps } = marked;
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
    model,
    text: markText(marked),
  };
}
