import { ENTRY_DELAY_MS, labelOrigin } from '../../engine/features/labelOrigin.ts';
import { sessionGapS } from '../../engine/features/sessionGap.ts';
import { BPS_PER_UNIT, MS_PER_S, US_PER_MS, type TickSeries } from './TickSeries.ts';

export const ENTRY_DELAY_US = ENTRY_DELAY_MS * US_PER_MS;

export type Outcome =
  | {
      readonly status: 'known';
      /** 10⁴ × ln(exit / entry); 0 without a price in between. */
      readonly moveBps: number;
      /** Ticks. Null without a price in between. */
      readonly entry: number | null;
      readonly exit: number | null;
    }
  /** The file ends before the future time, or the market paused or the price went to another level on the way there. */
  | { readonly status: 'unknown'; readonly why: 'file_ends' | 'market_paused' | 'level_changed' };

const UNKNOWN = { data_ends: 'file_ends', session_gap: 'market_paused', level_changed: 'level_changed' } as const;

/** The label of a forecast at a tick (`labelOrigin`), in the words and units of the page. */
export function labelOutcome(series: TickSeries, origin: number, horizonMs: number, medianGapMs: number | null): Outcome {
  const periodMs = series.bars?.periodMs ?? 0;
  const label = labelOrigin(series, origin, horizonMs / MS_PER_S, sessionGapS((medianGapMs ?? 0) / MS_PER_S, periodMs), periodMs);
  if (label.status === 'dropped') return { status: 'unknown', why: UNKNOWN[label.why] };
  const { move, entry, exit } = label;
  return { status: 'known', moveBps: move * BPS_PER_UNIT, entry, exit };
}

/** Mean absolute value of a standard normal variable. */
const MEAN_ABSOLUTE = Math.sqrt(2 / Math.PI);

/** Mean size of a move from the entry to the future time if prices diffuse at this volatility. @param volatility basis points per √s */
export function typicalMoveBps(volatility: number, horizonMs: number): number {
  const seconds = Math.max(0, horizonMs - ENTRY_DELAY_US / US_PER_MS) / 1000;
  return volatility * Math.sqrt(seconds) * MEAN_ABSOLUTE;
}
