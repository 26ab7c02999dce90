import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { writeFileAtomic } from '../data/TickStore.ts';

const MAGIC = Buffer.from('TMCKPT02');
const BODY_AT = MAGIC.length + 32;

/**
 * Writes a value atomically, its arrays and numbers bit for bit: magic, SHA-256 of the rest, the value as V8 serializes it. The previous
 * checkpoint stays until the new one is on disk. Throws ServiceError `file.unwritable`.
 */
export function writeCheckpoint(file: string, value: unknown): void {
  const body = serialize(value);
  writeFileAtomic(file, [MAGIC, createHash('sha256').update(body).digest(), body]);
}

/** Reads the value of a checkpoint; undefined if there is none. Throws ServiceError `file.malformed` if its bytes have changed. */
export function readCheckpoint<Value>(file: string): Value | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const body = bytes.subarray(BODY_AT);
  const refuse = (why: string): never => {
    throw new ServiceError('file.malformed', `The checkpoint ${file} ${why}.`, { remedy: 'Delete it to start again.' });
  };
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return refuse('was not written by tickmark');
  if (!createHash('sha256').update(body).digest().equals(bytes.subarray(MAGIC.length, BODY_AT)))
    return refuse('is damaged: its hash does not match');
  return deserialize(body) as Value;
}
