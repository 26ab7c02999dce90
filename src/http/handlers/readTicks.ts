import type { BodyChecks } from '../../contract/compileBodyCheck.ts';
import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { writeForecastAnswer, writeStampAnswer, type StampPlaces } from '../../contract/writeForecastAnswer.ts';
import { parseTickRequest, type TickRequest } from '../../ticks/parseTickRequest.ts';
import { scanTickBody } from '../../ticks/scanTickBody.ts';
import { parseJsonBody } from '../parseJsonBody.ts';

export type SentTicks = {
  readonly ticks: TickRequest;
  /** The future timestamp as it was sent. */
  futureStamp(): string;
  /** The answer, with the timestamps as they were sent. */
  write(mark: 1 | null, detail: ForecastDetail | null): string | Buffer;
};

/**
 * Reads the ticks of a body of POST /auth/ti-tick. A plain body takes the fast path, from bytes to numbers and back. Every other body takes
 * the slow path, JSON and schema, which also reports errors. Throws ServiceError `request.invalid`, `request.malformed_json`,
 * `request.duplicate_key`.
 */
export function readTicks(bytes: Buffer, checks: Pick<BodyChecks, 'tickRequest'>): SentTicks {
  const scanned = scanTickBody(bytes);
  if (scanned === undefined) return readTicksByJson(bytes, checks);
  const { stamps } = scanned;
  return {
    ticks: scanned,
    futureStamp: () => futureStampOf(stamps),
    write: (mark, detail) => writeStampAnswer(stamps, mark, detail),
  };
}

/** The slow path only. */
export function readTicksByJson(bytes: Buffer, checks: Pick<BodyChecks, 'tickRequest'>): SentTicks {
  const { Timestamp, Price } = checks.tickRequest(parseJsonBody(bytes));
  return {
    ticks: parseTickRequest(Timestamp, Price),
    futureStamp: () => Timestamp.at(-1)!,
    write: (mark, detail) => writeForecastAnswer(Timestamp, mark, detail),
  };
}

/** A scanned timestamp is plain ASCII. */
function futureStampOf({ bytes, starts, length }: StampPlaces): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + starts.at(-1)!, length).toString('latin1');
}
