import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import { writeForecastAnswer, writeStampAnswer, type AnswerParts, type StampPlaces } from '../../../contract/writeForecastAnswer.ts';
import { isBars, type TickLists } from '../../../contract/tickForms.ts';
import type { BarTime } from '../../../core/barTime.ts';
import { fieldProblem, invalidRequest } from '../../../core/ServiceError.ts';
import { isEpochList } from '../../../core/isEpochList.ts';
import { parseBarRequest, parseObservedBars } from '../../../ticks/parseBarRequest.ts';
import { parseObservedTicks, parseTickRequest, type TickRequest } from '../../../ticks/parseTickRequest.ts';
import type { PriceLists } from '../../../ticks/tickColumns.ts';
import { epochUnitUs, writeTimestamp } from '../../../ticks/timestamps.ts';
import { scanObserved, scanTickBody } from '../../../ticks/scanTickBody.ts';
import { parseJsonBody } from '../parseJsonBody.ts';

export type SentTicks = {
  readonly ticks: TickRequest;
  /** The future timestamp as it was sent. */
  futureStamp(): string;
  /** The answer, with the timestamps as they were sent. */
  write(mark: 1 | null, parts?: AnswerParts): string | Buffer;
};

/**
 * Reads the ticks of a body of POST /auth/ti-tick. A plain body takes the fast path, from bytes to numbers and back. Every other body takes
 * the slow path, JSON and schema, which also reports errors. Throws ServiceError `request.invalid`, `request.malformed_json`,
 * `request.duplicate_key`.
 */
export function readTicks(bytes: Buffer, checks: Pick<BodyChecks, 'tickRequest'>, barTime?: BarTime): SentTicks {
  const scanned = scanTickBody(bytes, barTime);
  if (scanned === undefined) return readTicksByJson(bytes, checks, barTime);
  const { stamps } = scanned;
  return {
    ticks: scanned,
    futureStamp: () => futureStampOf(stamps),
    write: (mark, parts) => writeStampAnswer(stamps, mark, parts),
  };
}

/** The slow path only. */
export function readTicksByJson(bytes: Buffer, checks: Pick<BodyChecks, 'tickRequest'>, barTime?: BarTime): SentTicks {
  const lists = checks.tickRequest(parseJsonBody(bytes));
  const { Timestamp } = lists;
  return {
    ticks: isBars(lists) ? parseBarRequest(lists, barTime) : parseTickRequest(Timestamp, pricesOf(refuseBarTime(lists, barTime))),
    futureStamp: () => String(Timestamp.at(-1)),
    write: (mark, parts) => writeForecastAnswer(isTexts(Timestamp) ? Timestamp : Timestamp.map(String), mark, parts),
  };
}

/** The observed ticks of a body without a future entry, and its way to write a time. */
export type ObservedTicks = Omit<TickRequest, 'futureUs'> & { stampOf(timeUs: number): string };

/** Reads the body of a request for several horizons. Throws as `readTicks`. */
export function readObserved(bytes: Buffer, checks: Pick<BodyChecks, 'observedTicks'>, barTime?: BarTime): ObservedTicks {
  const scanned = scanObserved(bytes, barTime);
  if (scanned === undefined) return readObservedByJson(bytes, checks, barTime);
  const { unitUs, ...ticks } = scanned;
  return { stampOf: stampWriter(unitUs), ...ticks };
}

/** The slow path only. */
export function readObservedByJson(bytes: Buffer, checks: Pick<BodyChecks, 'observedTicks'>, barTime?: BarTime): ObservedTicks {
  const lists = checks.observedTicks(parseJsonBody(bytes));
  const { Timestamp } = lists;
  const unitUs = isTexts(Timestamp) ? undefined : epochUnitUs(Timestamp[0]);
  return {
    ...(isBars(lists) ? parseObservedBars(lists, barTime) : parseObservedTicks(Timestamp, pricesOf(refuseBarTime(lists, barTime)))),
    stampOf: stampWriter(unitUs),
  };
}

const stampWriter =
  (unitUs: number | undefined) =>
  (timeUs: number): string =>
    unitUs === undefined ? writeTimestamp(timeUs) : String(timeUs / unitUs);

const isTexts = (timestamps: TickLists['Timestamp']): timestamps is readonly string[] => !isEpochList(timestamps);

function refuseBarTime(lists: TickLists, barTime: BarTime | undefined): TickLists {
  if (barTime === undefined) return lists;
  const detail = `bar_time is ${barTime}, but the body has ticks: it has ${'Price' in lists ? 'Price' : 'Bid and Ask'} in place of Close.`;
  throw invalidRequest([fieldProblem('?bar_time', 'query.without_bars', detail)]);
}

const pricesOf = (lists: TickLists): PriceLists => ('Price' in lists ? lists.Price : lists);

/** A scanned timestamp is plain ASCII. */
function futureStampOf({ bytes, spans }: StampPlaces): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', spans.at(-2), spans.at(-1));
}
