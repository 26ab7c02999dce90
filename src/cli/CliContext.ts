import type { Paint } from './paint.ts';

/** Where a command writes to. Tests pass their own. */
export type CliOutput = {
  /** The result: text for people, or one JSON value with --json. */
  out(text: string): void;
  /** Progress and faults. */
  err(text: string): void;
  /** As `out`, from a service, which goes on where the text cannot be written. */
  announce?(text: string): void;
  /** Colours what goes to `out` and to `err`; absent: nothing is coloured. */
  readonly paint?: { readonly out: Paint; readonly err: Paint };
  /** Whether `out` and `announce` go to a terminal; absent: they do not. */
  readonly isTerminal?: boolean;
};

export type CliContext = Required<CliOutput> & {
  /** Ends the command with this exit code, 1 by default, though nothing was thrown: the answer itself is "no". */
  fail(code?: number): void;
};

/** Options of the program, known to every command. */
export type GlobalOptions = { readonly json?: boolean; readonly debug?: boolean };

/** One JSON value, one line. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
