import { ERROR_TABLE } from '../core/errorTable.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { jsonLine } from './CliContext.ts';
import { unpainted, type Paint } from './paint.ts';

/** Broken rules that are listed one by one; more are counted. */
const MAX_LISTED = 5;

/**
 * A fault as what happened, why, and what to do. ServiceErrors never show a stack unless `debug` asks for it; anything else is a fault of
 * the program and says how to see more. `isUsage`: the command line itself was wrong.
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

function parts(error: unknown): { code: string; title: string; detail: string; remedy: string } {
  if (error instanceof ServiceError) {
    const { title, remedy } = ERROR_TABLE[error.code];
    return { code: error.code, title, detail: error.message, remedy };
  }
  return {
    code: 'internal.unexpected',
    title: ERROR_TABLE['internal.unexpected'].title,
    detail: error instanceof Error ? error.message : String(error),
    remedy: 'Run it again with --debug for the stack, and report it with the command that you typed.',
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
