/** The position of a request in a trace that its caller started. */
export type TraceContext = { readonly traceId: string; readonly parentId: string };

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:$|-)/;

/** The header `traceparent` of W3C Trace Context; undefined where it is absent or not valid, which is no fault of the request. */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined) return undefined;
  const [, traceId, parentId] = TRACEPARENT.exec(header) ?? [];
  // Version 00 has four parts and no more.
  if (traceId === undefined || parentId === undefined || (header.startsWith('00') && header.length !== 55)) return undefined;
  return { traceId, parentId };
}
