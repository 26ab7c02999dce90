import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { writeFileAtomic } from '../data/TickStore.ts';

export type CheckpointArrays = Readonly<Record<string, Float32Array | Int32Array>>;

/** The state that a run resumes from: JSON-safe numbers, and arrays that are restored bit for bit. */
export type Checkpoint<Meta> = { readonly meta: Meta; readonly arrays: CheckpointArrays };

type Header = {
  readonly meta: unknown;
  readonly arrays: readonly { readonly name: string; readonly type: 'f32' | 'i32'; readonly length: number }[];
};

const MAGIC = Buffer.from('TMCKPT01');
const HASH_BYTES = 32;

/**
 * Writes a checkpoint atomically: magic, length of the header, header (JSON), arrays (little endian), SHA-256 of all preceding bytes. The
 * previous checkpoint stays until the new one is on disk. Throws ServiceError `file.unwritable`.
 */
export function writeCheckpoint<Meta>(file: string, { meta, arrays }: Checkpoint<Meta>): void {
  const entries = Object.entries(arrays);
  const header: Header = {
    meta,
    arrays: entries.map(([name, values]) => ({ name, type: values instanceof Int32Array ? 'i32' : 'f32', length: values.length })),
  };
  const headerBytes = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headerBytes.length);
  const parts = [
    MAGIC,
    length,
    headerBytes,
    ...entries.map(([, values]) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  ];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  writeFileAtomic(file, [...parts, hash.digest()]);
}

/** Reads a checkpoint; undefined if there is none. Throws ServiceError `file.malformed` if its bytes have changed. */
export function readCheckpoint<Meta>(file: string): Checkpoint<Meta> | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const refuse = (why: string): never => {
    throw new ServiceError('file.malformed', `The checkpoint ${file} ${why}.`, { remedy: 'Delete it to start again.' });
  };
  const body = bytes.subarray(0, Math.max(0, bytes.length - HASH_BYTES));
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return refuse('was not written by tickmark');
  if (!createHash('sha256').update(body).digest().equals(bytes.subarray(body.length))) return refuse('is damaged: its hash does not match');
  const start = MAGIC.length + 4;
  const headerEnd = start + body.readUInt32LE(MAGIC.length);
  const header = JSON.parse(body.toString('utf8', start, headerEnd)) as Header;
  const arrays: Record<string, Float32Array | Int32Array> = {};
  let at = headerEnd;
  for (const { name, type, length } of header.arrays) {
    // Copied: the bytes of the file are not aligned for a view.
    const raw = Uint8Array.from(body.subarray(at, at + 4 * length)).buffer;
    arrays[name] = type === 'i32' ? new Int32Array(raw) : new Float32Array(raw);
    at += 4 * length;
  }
  return { meta: header.meta as Meta, arrays };
}
