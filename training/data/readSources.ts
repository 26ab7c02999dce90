import { readFileSync } from 'node:fs';
import { ServiceError } from '../../src/core/ServiceError.ts';

/** The source of a tick file, for the card. */
export type Source = { readonly file: string; readonly instrument: string; readonly source: string; readonly licence: string };

const FIELDS = ['file', 'instrument', 'source', 'licence'] as const;

/** Reads the JSON array of the file that `--sources` names; '' gives an empty list. Throws ServiceError `file.unreadable`. */
export function readSources(file: string): Source[] {
  if (file === '') return [];
  const refuse = (detail: string, cause?: unknown): never => {
    throw new ServiceError('file.unreadable', `The list of sources ${file} ${detail}.`, { cause });
  };
  let list: unknown;
  try {
    list = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}`, error);
  }
  if (!Array.isArray(list)) return refuse('is not a JSON array');
  list.forEach((entry: Partial<Source> | null, at) => {
    const missing = FIELDS.find((field) => typeof entry?.[field] !== 'string');
    if (missing !== undefined) refuse(`has no string ${missing} in entry ${at}`);
  });
  return list as Source[];
}
