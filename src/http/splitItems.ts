import type { BodyChecks } from '../contract/bodyChecks.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { ItemFinder } from './ItemFinder.ts';
import { parseJsonBody } from './parseJsonBody.ts';

/** Bytes scanned between two pauses: less than half a millisecond. */
const STRETCH_BYTES = 256 * 1024;

/**
 * Splits the body of a batch into items, each as the bytes that were sent; the items are not validated. Waits for `pause` at intervals, so
 * that a large body does not block the event loop. Throws ServiceError `request.malformed_json`, `request.duplicate_key`,
 * `request.too_large`, `request.invalid` for the part around the items, and the errors of `pause`.
 */
export async function splitItems(
  body: Buffer,
  checks: Pick<BodyChecks, 'tickBatchFrame'>,
  pause: () => Promise<void>,
): Promise<readonly Buffer[]> {
  const finder = new ItemFinder(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  for (finder.step(STRETCH_BYTES); !finder.isDone; finder.step(STRETCH_BYTES)) await pause();
  checks.tickBatchFrame(parseFrame(Buffer.from(finder.frame)));
  return finder.items.map(([from, to]) => body.subarray(from, to));
}

function parseFrame(frame: Buffer): unknown {
  try {
    return parseJsonBody(frame);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The position refers to the frame, which the caller did not send.
    throw new ServiceError(error.code, error.message.replace(/ at character \d+/, ' around its items'), { cause: error });
  }
}
