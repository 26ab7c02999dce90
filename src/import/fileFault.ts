import { ServiceError } from '../core/ServiceError.ts';

/** ServiceError file.malformed as one sentence about what was found and one about how to mend it. `where`: `line 7`, `row 3`, or nothing for the whole file. */
export function fileFault(name: string, where: string, found: string, mend: string): ServiceError {
  return new ServiceError('file.malformed', `${name}${where === '' ? '' : `, ${where}`}: ${found}. ${mend}`);
}

/** Bytes as text for a message: at most 100 of them, quoted, on one line. */
export function shownBytes(bytes: Uint8Array, from: number, to: number): string {
  return JSON.stringify(new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + 100)))) + (to - from > 100 ? '…' : '');
}
