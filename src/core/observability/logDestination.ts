import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { systemClock } from '../Clock.ts';
import { LogSink } from './LogSink.ts';

export type LogFormat = 'auto' | 'json' | 'text';
/** Where whole lines go; it must not block. `mayWait`: they need not be written at once. */
export type LogDestination = { write(lines: string, mayWait?: boolean): void };

const LEVEL_WIDTH = 5;
/** Characters that move the cursor of a terminal, or change its colours or text direction. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/** A value that needs no quotes. */
const BARE = /^[^\s"'=,{}[\]]+$/;

/**
 * Where the logs of this process go: standard error, as JSON lines or (`text`) as lines for people. `auto`: text on a terminal, JSON elsewhere. The lines of
 * worker processes come here as JSON and are shown alike.
 */
export function logDestination(
  format: LogFormat,
  isTerminal = process.stderr.isTTY === true,
  sink: LogDestination = standardSink(2),
): LogDestination {
  if (format === 'json' || (format === 'auto' && !isTerminal)) return sink;
  return { write: (lines, mayWait) => sink.write(lines.replace(/[^\n]+/g, textLine), mayWait) };
}

/** One JSON line of a log as `time level message field=value …`; any other line as it is, without control characters. */
function textLine(line: string): string {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return shown(line);
  }
  if (typeof event !== 'object' || event === null || !('msg' in event)) return shown(line);
  const { level, time, msg, error, ...fields } = event as Record<string, unknown>;
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : undefined;
  const told = stack === undefined && error !== undefined ? { ...fields, error } : fields;
  const values = Object.entries(told).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const below =
    stack === undefined
      ? ''
      : stack
          .split('\n')
          .map((frame) => `\n  ${shown(frame.trim())}`)
          .join('');
  return `${shown(String(time))} ${shown(String(level)).padEnd(LEVEL_WIDTH)} ${shown(String(msg))}${values.join('')}${below}`;
}

const valueText = (value: unknown): string => shown(typeof value === 'string' && BARE.test(value) ? value : JSON.stringify(value));

const shown = (text: string): string => text.replace(CONTROL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Standard = 1 | 2;

const sinks = new Map<Standard, LogSink>();

/** The sink of this process's standard output (1) or standard error (2). Opened at its first use; it stays open until the process ends. */
export function standardSink(fd: Standard): LogSink {
  const known = sinks.get(fd);
  if (known !== undefined) return known;
  const descriptor = openNonBlocking(fd);
  const sink = new LogSink({ clock: systemClock, write: (bytes) => writeSync(descriptor, bytes) });
  process.once('exit', () => sink.writeWaiting());
  sinks.set(fd, sink);
  return sink;
}

/**
 * A write to a pipe, socket or terminal that is not read blocks the event loop, unless its open file has O_NONBLOCK. A pipe or
 * terminal is opened once more, with the flag: the open file that other processes share stays as it is. A socket cannot be opened
 * again. Node.js sets the flag when it makes the stream; no child process may inherit the descriptor, for starting it clears the flag.
 */
function openNonBlocking(fd: Standard): number {
  if (fstatSync(fd).isFile()) return fd;
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    void (fd === 1 ? process.stdout : process.stderr);
    return fd;
  }
}
