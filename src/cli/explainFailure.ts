import { ERROR_TABLE } from '../core/errorTable.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { jsonLine, unpainted, type Paint } from './CliContext.ts';

/** Field errors that are listed; the rest are counted. */
const MAX_LISTED = 5;

/**
 * Describes an error: what happened, why, and what to do. Prints a stack only with `debug`. An error that is not a ServiceError is a defect of the
 * program. `isUsage`: the command line itself was wrong.
 */
export function explainFailure(
  error: unknown,
  { json, debug, paint = unpainted }: { json: boolean; debug: boolean; paint?: Paint },
): { text: string; isUsage: boolean } {
  const stack = debug && error instanceof Error ? `${error.stack ?? ''}${causes(error)}\n` : '';
  const isUsage = error instanceof ServiceError && error.code === 'command.invalid';
  const { code, title, detail, remedy } = parts(error);
  if (json)
    return { text: jsonLine({ code, title, detail, remedy, errors: error instanceof ServiceError ? error.errors : [] }) + stack, isUsage };
  return { text: `${paint('bad', `tickmark: ${title}`)}\n  ${detail}\n${listed(error)}  What to do: ${remedy}\n${stack}`, isUsage };
}

/** Remedies for a file that cannot be written, by the code of the failed system call. */
const WRITE_REMEDIES: Readonly<Record<string, string>> = {
  EEXIST: 'Choose another name, or remove the file first: an existing file is not replaced.',
  ENOSPC: 'Free space on the disk, or write to another one.',
  EDQUOT: 'Free space within the quota of this user, or write to another disk.',
  EACCES: 'Give this user write access to the folder, or choose another one.',
  EPERM: 'Give this user write access to the folder, or choose another one.',
  EROFS: 'Choose a folder on a disk that is not read-only.',
  ENOENT: 'Create the folder first, or correct the path.',
  ENOTDIR: 'Correct the path: a part of it is a file, not a folder.',
  EISDIR: 'Name a file: this is a folder.',
};

/** The remedy of an error: its own, that of the failed write that caused it, or that of its code. */
export function remedyOf({ code, remedy, cause }: ServiceError): string {
  if (code !== 'file.unwritable' || remedy !== ERROR_TABLE[code].remedy) return remedy;
  return WRITE_REMEDIES[(cause as NodeJS.ErrnoException | undefined)?.code ?? ''] ?? remedy;
}

function parts(error: unknown): { code: string; title: string; detail: string; remedy: string } {
  if (error instanceof ServiceError) {
    return { code: error.code, title: error.title, detail: error.message, remedy: remedyOf(error) };
  }
  return {
    code: 'internal.unexpected',
    title: ERROR_TABLE['internal.unexpected'].title,
    detail: error instanceof Error ? error.message : String(error),
    remedy: 'Run the command again with --debug and report the stack trace together with the command.',
  };
}

function listed(error: unknown): string {
  if (!(error instanceof ServiceError) || error.errors.length === 0) return '';
  const lines = error.errors.slice(0, MAX_LISTED).map(({ pointer, detail, hint }) => `  ${pointer}: ${detail} ${hint}\n`);
  const more = error.errors.length - lines.length;
  return lines.join('') + (more > 0 ? `  … and ${more} more\n` : '');
}

function causes(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `\nbecause of ${cause.stack ?? cause.message}${causes(cause)}` : '';
}
