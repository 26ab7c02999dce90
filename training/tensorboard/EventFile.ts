import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../src/core/Clock.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { maskedCrc32c } from './crc32c.ts';

/**
 * Writes scalars for TensorBoard: a TFRecord file of Event messages (tensorflow/core/util/event.proto, framework/summary.proto). npm has no
 * maintained writer, and that of tfjs-node needs the native library, which a run on WebAssembly does not have.
 */
export class EventFile {
  readonly #handle: number;
  readonly #clock: Pick<Clock, 'nowMs'>;

  /** Throws ServiceError `file.unwritable`. */
  constructor(folder: string, clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    const seconds = Math.floor(clock.nowMs() / 1000);
    try {
      mkdirSync(folder, { recursive: true });
      this.#handle = openSync(path.join(folder, `events.out.tfevents.${seconds}.tickmark`), 'a');
    } catch (cause) {
      throw new ServiceError('file.unwritable', `Events cannot be written to ${folder}: ${(cause as Error).message}.`, { cause });
    }
    this.#write(text(3, 'brain.Event:2'));
  }

  /** Adds one value of a curve. Write errors are ignored: a full disk does not end a training run. */
  add(tag: string, step: number, value: number): void {
    const scalar = Buffer.concat([text(1, tag), float(2, value)]);
    this.#write(Buffer.concat([varint(2, step), message(5, message(1, scalar))]));
  }

  close(): void {
    closeSync(this.#handle);
  }

  #write(body: Buffer): void {
    const data = Buffer.concat([double(1, this.#clock.nowMs() / 1000), body]);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(data.length));
    try {
      writeSync(this.#handle, Buffer.concat([length, crc(length), data, crc(data)]));
    } catch {
      // Explained at `add`.
    }
  }
}

function crc(bytes: Buffer): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(maskedCrc32c(bytes));
  return out;
}

// Protocol Buffers' wire format: field number and type, then the value.
const key = (field: number, type: number): Buffer => Buffer.from([(field << 3) | type]);

function uint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const varint = (field: number, value: number): Buffer => Buffer.concat([key(field, 0), uint(value)]);
const message = (field: number, body: Buffer): Buffer => Buffer.concat([key(field, 2), uint(body.length), body]);
const text = (field: number, value: string): Buffer => message(field, Buffer.from(value));

function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([key(field, 1), bytes]);
}

function float(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([key(field, 5), bytes]);
}
