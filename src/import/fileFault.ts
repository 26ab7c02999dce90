import { ServiceError } from '../core/ServiceError.ts';

/** ServiceError file.malformed: one sentence on what was found, one on what to do. `where`: `line 7`, `row 3`, or nothing for the whole file. */
export function fileFault(name: string, where: string, found: string, remedy: string): ServiceError {
  return new ServiceError('file.malformed', `${name}${where === '' ? '' : `, ${where}`}: ${found}.`, { remedy });
}

/** Bytes as text for a message: at most 100 of them, quoted, on one line. */
export function shownBytes(bytes: Uint8Array, from: number, to: number): string {
  return JSON.stringify(new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + 100)))) + (to - from > 100 ? '…' : '');
}
