import { pino, type DestinationStream } from 'pino';
import { systemClock, type Clock } from '../Clock.ts';
import type { LogFields, Logger } from '../Logger.ts';
import { standardSink } from './logDestination.ts';
import { RepeatedErrors } from './RepeatedErrors.ts';

const SECRET_NAME = /pass(word|phrase)|secret|token|authorization|api[-_]?key/i;
/** A whole API key anywhere in a text; its display prefix is short enough to stay. */
const KEY_TEXT = /(tkm_[a-z]+_[0-9A-Za-z]{0,4})[0-9A-Za-z]{8,}/g;
const MAX_TEXT = 2000;

function cleanText(text: string): string {
  const bounded = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return bounded.includes('tkm_') ? bounded.replace(KEY_TEXT, '$1…') : bounded;
}

/** Without its stack and its causes. */
function shortError(error: Error): Record<string, unknown> {
  const { code } = error as NodeJS.ErrnoException;
  return { name: error.name, message: cleanText(error.message), code };
}

function cleanError(error: Error, depth: number): Record<string, unknown> {
  return {
    ...shortError(error),
    ...(error.stack === undefined ? {} : { stack: cleanText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: cleanValue(error.cause, depth + 1) }),
  };
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (depth > 4) return '…';
  if (value instanceof Error) return cleanError(value, depth);
  if (Array.isArray(value)) return value.slice(0, 20).map((item) => cleanValue(item, depth + 1));
  return cleanFields(value as LogFields, depth + 1);
}

function cleanFields(fields: LogFields, depth: number): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    clean[name] = SECRET_NAME.test(name) && name !== 'keyPrefix' ? '[redacted]' : cleanValue(value, depth);
  }
  return clean;
}

/**
 * A Logger that writes one JSON line an event: `level` (word), `time` (ISO 8601), `msg`, and the fields. Fields named like a secret are
 * redacted, keys inside any text are cut to their display prefix, long texts are cut; CR and LF are escaped by JSON.
 * A warning or an error like one of the last minute (`fields.error`) is counted in place of written. Lines go to standard error unless `destination` is given.
 */
export function createLogger(
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent',
  destination?: DestinationStream,
  clock: Clock = systemClock,
): Logger {
  const repeated = new RepeatedErrors(clock);
  const sink = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? standardSink(2),
  );
  const at =
    (name: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: LogFields): void => {
      if (!sink.isLevelEnabled(name)) return;
      const error = fields?.['error'];
      const isCounted = (name === 'warn' || name === 'error') && error instanceof Error;
      const report = (repeats: number, last: Error): void => sink[name]({ repeats, error: shortError(last) }, cleanText(message));
      if (isCounted && !repeated.isFirst(`${name} ${message}`, error, report)) return;
      if (fields === undefined) sink[name](cleanText(message));
      else sink[name](cleanFields(fields, 0), cleanText(message));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
