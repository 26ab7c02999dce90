import { NULL_REASONS, type NullReason } from '../../contract/forecastDetail.ts';
import type { WindowRefusal } from '../../features/WindowMeasures.ts';
import type { BareVerdict } from '../WindowJudgement.ts';

const CODES = Object.keys(NULL_REASONS) as NullReason[];
const NUMBER_OF = new Map(CODES.map((code, i) => [code, i]));
/** theta, probability, decision threshold, features and rules in ms. */
const NUMBERS_BYTES = 8 * 5;

/** What comes back of a window: all but the time of the network, which whoever waits for it knows. */
export type SentVerdict = {
  readonly verdict: Omit<BareVerdict, 'networkMs'> | WindowRefusal;
  /** Context columns at the window's own threshold; null: nobody wants them, or the window was refused. */
  readonly ownContext: Float32Array | null;
};

/**
 * Number of reasons (u8), their places in NULL_REASONS (u8 each); unless the window was refused, the numbers (f64; a threshold of NaN is none) and the
 * context columns (f32; none where nobody wants them). Little endian, floats of the columns as the processor has them.
 */
export function verdictBytes({ verdict, ownContext }: SentVerdict): Buffer {
  if (typeof verdict === 'string') return Buffer.from([1, NUMBER_OF.get(verdict)!]);
  const { reasons, theta, probability, decision, featuresMs, rulesMs } = verdict;
  const bytes = Buffer.allocUnsafe(1 + reasons.length + NUMBERS_BYTES + (ownContext?.byteLength ?? 0));
  let at = bytes.writeUInt8(reasons.length, 0);
  for (const { code } of reasons) at = bytes.writeUInt8(NUMBER_OF.get(code)!, at);
  for (const value of [theta, probability, decision ?? NaN, featuresMs, rulesMs]) at = bytes.writeDoubleLE(value, at);
  if (ownContext !== null) bytes.set(new Uint8Array(ownContext.buffer, ownContext.byteOffset, ownContext.byteLength), at);
  return bytes;
}

export function readVerdict(bytes: Buffer): SentVerdict {
  const count = bytes.readUInt8(0);
  const codeAt = (i: number): NullReason => CODES[bytes.readUInt8(1 + i)]!;
  const from = 1 + count;
  if (bytes.length === from) return { verdict: codeAt(0) as WindowRefusal, ownContext: null };
  const reasons: { code: NullReason }[] = [];
  for (let i = 0; i < count; i++) reasons.push({ code: codeAt(i) });
  const number = (i: number): number => bytes.readDoubleLE(from + 8 * i);
  const decision = number(2);
  const columnsAt = from + NUMBERS_BYTES;
  return {
    verdict: {
      reasons,
      theta: number(0),
      probability: number(1),
      decision: Number.isNaN(decision) ? null : decision,
      featuresMs: number(3),
      rulesMs: number(4),
    },
    // Copied: floats begin at multiples of four, and the bytes are a part of many more.
    ownContext:
      bytes.length === columnsAt
        ? null
        : new Float32Array(bytes.buffer.slice(bytes.byteOffset + columnsAt, bytes.byteOffset + bytes.length) as ArrayBuffer),
  };
}
