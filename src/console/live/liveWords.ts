import type { LiveScore, NullReason } from '../../../clients/typescript/src/index.ts';
import { bpsText, countText, percentText, priceText } from '../answer/describeAnswer.ts';
import { formatClock, formatSpan } from '../ticks/timeText.ts';
import { unitOf } from '../ticks/TickSeries.ts';
import type { LiveStatus, LoggedForecast } from './ForecastLog.ts';
import type { LivePhase, LiveSession } from './LiveSession.ts';
import { horizonName, speedText } from './livePlan.ts';
import type { Stream } from './Stream.ts';

export const STATUS_NAMES: Readonly<Record<LiveStatus, string>> = { identified: 'Identified', none: 'None', abstained: 'Abstained' };

const REASONS: Readonly<Record<NullReason, string>> = {
  below_threshold: 'below the decision threshold',
  vetoed_by_rule: 'a rule forbids a mark here',
  abstained_by_rule: 'a rule that forbids marks cannot be ruled out',
  rate_unknown: 'too few forecasts of the series are known for its mark rate',
  head_abstains: 'the model never gives a mark at this horizon and threshold',
  horizon_untrained: 'the horizon is outside the trained range',
  density_untrained: 'the ticks are denser or sparser than the training data',
  threshold_untrained: 'the threshold is outside the trained range',
  too_few_distinct_ticks: 'too few distinct timestamps since the last pause',
  window_without_duration: 'all ticks have one timestamp',
  constant_price: 'the price is constant',
  level_changed: 'the price went to another level in one step, as by a split',
  feature_not_finite: 'a feature of the window is not finite',
};

/** A newer service may send codes that this page does not know. */
const reasonText = (code: string): string => (REASONS as Readonly<Record<string, string>>)[code] ?? code.replaceAll('_', ' ');

/** Why a forecast abstains; empty for others. */
export function abstainText({ status, message }: LoggedForecast): string {
  const code = message.reasons.find((one) => one !== 'below_threshold');
  return status !== 'abstained' || code === undefined ? '' : reasonText(code);
}

const UNKNOWN_OUTCOMES: Readonly<Record<string, string>> = {
  session_gap: 'unknown: the market paused',
  level_changed: 'unknown: the price went to another level in one step',
  no_threshold: 'unknown: no threshold',
  pending_limit: 'unknown: too many were pending',
};

/** What came of a forecast. */
export function outcomeWords({ outcome }: LoggedForecast): string {
  if (outcome === null) return 'pending';
  if (outcome.moved === null || outcome.move_bps === null) return UNKNOWN_OUTCOMES[outcome.reason ?? ''] ?? 'unknown';
  const size = outcome.move_bps === 0 ? 'no move' : `${outcome.move_bps > 0 ? 'up' : 'down'} ${bpsText(Math.abs(outcome.move_bps))}`;
  return `${outcome.moved ? 'moved' : 'stayed'}: ${size}`;
}

const SKIPS: Readonly<Record<string, string>> = {
  'limit.exceeded': 'the limit of the key is used up',
  'inference.overloaded': 'the service is overloaded',
  'inference.deadline': 'the service was too slow',
  slow_consumer: 'this page reads too slowly',
};

/** Which forecasts were not made, and why; empty: all were. */
export function skippedText(skipped: Readonly<Record<string, number>>): string {
  const parts = Object.entries(skipped).map(([reason, count]) => `${count.toLocaleString('en')} because ${SKIPS[reason] ?? reason}`);
  return parts.length === 0 ? '' : `Forecasts skipped: ${parts.join(', ')}.`;
}

const LOST: Readonly<Record<number, string>> = {
  1001: 'The service stops.',
  1008: 'The service refused 100 messages of this page in a row.',
  1013: 'The service cannot check the key now, or this page read too slowly.',
  4429: 'The key has as many live connections as allowed: close another one.',
};

/** A lost connection to the service; the wait is rounded up, so that it never says 0 s. */
export function lostText({ code, atMs }: { readonly code: number; readonly atMs: number }, nowMs: number): string {
  const waitMs = Math.max(1, Math.ceil((atMs - nowMs) / 1000)) * 1000;
  return `${LOST[code] ?? 'The connection was lost.'} Connecting again in ${formatSpan(waitMs)}.`;
}

const REFUSED = 'the key was not accepted. It may be revoked or expired.';

/** What the stream does, for a person who looks at it now. */
export function phaseText(session: LiveSession, nowMs: number): string {
  const { player, retry, phase, series } = session;
  const unit = unitOf(series);
  const sent = `${player.position.toLocaleString('en')} of ${countText(series.timesUs.length, unit)}`;
  const speed = speedText(player.speed);
  const slept = `: this tab slept for ${formatSpan(player.sleptMs)}. Continue goes on with the next ${unit}`;
  const pace = player.isBehind ? `${sent}, slower than ${speed}: the forecasts take longer.` : `${sent} at ${speed}.`;
  const limit = `The limit of the key is used up: the stream waits a few seconds at ${sent}. Use a slower speed.`;
  const words: Readonly<Record<LivePhase, string>> = {
    connecting: 'Connecting…',
    reconnecting: `${retry && lostText(retry, nowMs)} The stream waits at ${sent}.`,
    paused: `Paused at ${sent}${player.sleptMs > 0 ? slept : ''}.`,
    streaming: session.isWaitingForLimit ? limit : pace,
    stopping: `${sent}; the last forecasts are computed…`,
    ended: player.isAtEnd ? `The file has ended: ${countText(player.position, unit)}.` : `Stopped at ${sent}.`,
    refused: `Stopped at ${sent}: ${REFUSED}`,
    failed: `Stopped at ${sent}: ${session.fault ?? 'unexpected error'}`,
  };
  return words[phase];
}

/** waiting: no series yet. closed: the series has ended. The others are as those of a stream. */
export type WatchPhase = 'connecting' | 'waiting' | 'watching' | 'closed' | 'reconnecting' | 'ended' | 'refused' | 'failed';

type Watching = {
  readonly phase: WatchPhase;
  readonly retry: { readonly code: number; readonly atMs: number } | undefined;
  readonly fault: string | null;
  readonly shown: Pick<Stream, 'name' | 'position' | 'series'> | undefined;
};

/** What the page watches, for a person who looks at it now. */
export function watchText({ retry, phase, shown, fault }: Watching, nowMs: number): string {
  const { name, position = 0, series } = shown ?? {};
  const last =
    position === 0 ? 'no tick yet' : `${priceText(series!.prices[position - 1])} at ${formatClock(series!.timesUs[position - 1])} UTC`;
  const words: Readonly<Record<WatchPhase, string>> = {
    connecting: 'Connecting…',
    reconnecting: `${retry && lostText(retry, nowMs)}`,
    waiting: 'Waiting: no program streams a series with this key to this service now.',
    watching: `Watching ${name}: ${last}.`,
    closed: `${name} has ended. If its program opens it again, the page goes on with it.`,
    ended: 'Stopped watching.',
    refused: `Stopped watching: ${REFUSED}`,
    failed: `Stopped watching: ${fault ?? 'unexpected error'}`,
  };
  return words[phase];
}

/** How many messages of a watched key are missing; empty: none. */
export const droppedText = (count: number): string =>
  count === 0 ? '' : `${countText(count, 'message')} dropped by the service: the key sends more than it copies.`;

/** The marks of an id in words. */
export function hitText({ marks, hits, outcomes }: LiveScore): string {
  if (outcomes === 0) return 'no outcome yet';
  return marks === 0
    ? `no mark in ${countText(outcomes, 'outcome')}`
    : `${hits} of ${countText(marks, 'mark')} came true: ${percentText(hits / marks)}`;
}

/** What a person is told of a forecast. */
export type Told = Pick<LoggedForecast['message'], 'id' | 'min_move_bps' | 'future' | 'probability'> & {
  /** Absent: it is. */
  readonly isMarked?: boolean;
};

/** The notification of a mark. */
export function markText(
  name: string,
  { id, min_move_bps: moveBps, future, probability, isMarked = true }: Told,
  isOwn?: boolean,
): { readonly title: string; readonly body: string } {
  const size = moveBps === null ? 'the threshold' : bpsText(moveBps);
  const own = isOwn === true ? `A move beyond your cost of ${size}` : `An unusually large move for this market, more than ${size}`;
  const move = moveBps === null ? `A move over ${size}` : isOwn === undefined ? `A move of more than ${size}` : own;
  return {
    title: `${name}: ${isMarked ? 'mark' : 'chance'}, ${horizonName(id)} ahead`,
    body: `${move}, up or down, until ${future} UTC${probability === null ? '' : ` has a probability of ${percentText(probability)}`}.`,
  };
}
