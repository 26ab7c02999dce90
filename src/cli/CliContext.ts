import type { Paint } from './paint.ts';

/** Output of a command. Tests pass their own. */
export type CliOutput = {
  /** The result: text, or one JSON value with --json. */
  out(text: string): void;
  /** Progress and errors. */
  err(text: string): void;
  /** As `out`, for a service: it continues if the text cannot be written. */
  announce?(text: string): void;
  /** Colours what goes to `out` and to `err`; absent: nothing is coloured. */
  readonly paint?: { readonly out: Paint; readonly err: Paint };
  /** Whether `out` and `announce` go to a terminal; absent: they do not. */
  readonly isTerminal?: boolean;
};

export type CliContext = Required<CliOutput> & {
  /** Sets the exit code, 1 by default, without an error: the result itself is negative. */
  fail(code?: number): void;
};

/** Options of the program, known to every command. */
export type GlobalOptions = { readonly json?: boolean; readonly debug?: boolean };

/** One JSON value, one line. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
