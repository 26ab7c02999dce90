import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { systemClock } from '../core/Clock.ts';
import { LogSink } from './LogSink.ts';

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
