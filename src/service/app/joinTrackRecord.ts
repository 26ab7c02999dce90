import { randomUUID } from 'node:crypto';
import type { AccountStore } from '../accounts/AccountStore.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import { BufferedTrackRecord } from '../live/BufferedTrackRecord.ts';
import type { ForecastEvents } from '../live/ForecastEvents.ts';
import { SealedForecasts } from '../live/SealedForecasts.ts';
import { RememberedForecasts } from '../live/RememberedForecasts.ts';
import { dayOf, NO_TRACK_RECORD } from '../live/TrackRecord.ts';
import { pruneRegularly } from './pruneRegularly.ts';

export type TrackRecordParts = Pick<HttpParts, 'trackRecord' | 'keepsTrackRecord' | 'remembered'>;

const MS_PER_DAY = 86_400_000;

/** The track record over an open store. `close` writes what was counted; the store stays open. */
export function joinTrackRecord(
  settings: Pick<Settings, 'keepsTrackRecord' | 'trackRecordRetentionDays' | 'sealedLines'>,
  store: AccountStore,
  { clock, logger, events }: { clock: Clock; logger: Logger; events?: ForecastEvents },
): { parts: TrackRecordParts; memory: RememberedForecasts | undefined; close(): Promise<void> } {
  const { keepsTrackRecord, trackRecordRetentionDays: days, sealedLines: mostLines } = settings;
  if (!keepsTrackRecord) {
    const remembered = { settle: () => {}, remember: () => {}, refuseOtherKind: () => {} };
    return { parts: { trackRecord: NO_TRACK_RECORD, keepsTrackRecord, remembered }, memory: undefined, close: () => Promise.resolve() };
  }
  const sealed = mostLines === 0 ? undefined : new SealedForecasts({ store, clock, newBatchId: randomUUID, mostLines });
  const trackRecord = new BufferedTrackRecord({ store, clock, logger, newBatchId: randomUUID, sealed });
  const remembered = new RememberedForecasts(trackRecord, clock, events);
  const stopPruning = pruneRegularly('track record', () => store.pruneRecords(dayOf(clock.nowMs() - days * MS_PER_DAY)), { clock, logger });
  return {
    parts: { trackRecord, keepsTrackRecord, remembered },
    memory: remembered,
    close: async () => {
      stopPruning();
      remembered.close();
      await trackRecord.flush().catch((error: unknown) => logger.warn('track record not written', { error }));
    },
  };
}
