import type { IncomingHttpHeaders } from 'node:http';
import { expectDocumented } from '../support/request.ts';
import type { Finding, PromiseName } from './Ledger.ts';

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

/** How a request ended: answered, connection closed (or refused) by the service, or timed out without an answer. */
export type Outcome = { readonly answer: Answer } | { readonly closed: string } | { readonly hung: true };
export type Ended = Outcome & { readonly fromMs: number; readonly toMs: number };

/** The expected answer. */
export type Expected = {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
  /** The request has a valid key: 401 and 429 break a separate promise. */
  readonly hasGoodKey?: boolean;
  /** Checks the content of a 2xx answer: the fault, or undefined. */
  readonly fault?: (text: string) => string | undefined;
  readonly limitMs: number;
  /** The request tests only this promise. */
  readonly countsAs?: PromiseName;
};

/** Effects of current faults that are allowed for this request. */
export type Allowed = { readonly mayCut: boolean; readonly delayMs: number };

const SHOWN_CHARACTERS = 200;

/** Describes the undocumented part of an answer; undefined if it is documented. */
function undocumented({ method, path, statuses }: Expected, answer: Answer): string | undefined {
  const { status, headers, text } = answer;
  const seen = `${status} ${text.slice(0, SHOWN_CHARACTERS)}`;
  if (!statuses.includes(status)) return `${seen}; expected ${statuses.join(' or ')}`;
  if ((status === 503 || status === 429) && !(Number(headers['retry-after']) > 0)) return `${seen} has no Retry-After`;
  if (status >= 400 && headers['content-type'] !== 'application/problem+json') return `${seen} is not problem+json`;
  try {
    expectDocumented(method, path, { ...answer, json: {} });
    return undefined;
  } catch (error) {
    return (error as Error).message.slice(0, 2 * SHOWN_CHARACTERS);
  }
}

function findingsOf(expected: Expected, ended: Ended, { mayCut, delayMs }: Allowed): Finding[] {
  const tookMs = ended.toMs - ended.fromMs;
  if ('hung' in ended) return [{ promise: 'answered', fault: `no answer after ${tookMs.toFixed(0)} ms` }];
  const isLate = tookMs > expected.limitMs + delayMs;
  const how = 'closed' in ended ? ended.closed : `${ended.answer.status}`;
  const inTime: Finding = { promise: 'answered', fault: isLate ? `${how} after ${tookMs.toFixed(0)} ms` : undefined };
  if ('closed' in ended) return [inTime, { promise: 'kept', fault: mayCut ? undefined : how }];
  const { status, text } = ended.answer;
  const findings: Finding[] = [inTime, { promise: 'kept' }];
  const isRefused = expected.hasGoodKey === true && (status === 401 || status === 429);
  const refusal = isRefused ? `${status} for a valid key: ${text.slice(0, SHOWN_CHARACTERS)}` : undefined;
  if (expected.hasGoodKey === true) findings.push({ promise: 'keys', fault: refusal });
  if (!isRefused) findings.push({ promise: 'documented', fault: undocumented(expected, ended.answer) });
  if (status < 300 && expected.fault !== undefined) findings.push({ promise: 'right', fault: expected.fault(text) });
  return findings;
}

/** Every promise that a request tests, with the fault if it was broken. */
export function checkAnswer(expected: Expected, ended: Ended, allowed: Allowed): Finding[] {
  const where = `${expected.method} ${expected.path}`;
  const findings = findingsOf(expected, ended, allowed).map(({ promise, fault }) => ({ promise, fault: fault && `${where}: ${fault}` }));
  if (expected.countsAs === undefined) return findings;
  return [{ promise: expected.countsAs, fault: findings.find(({ fault }) => fault !== undefined)?.fault }];
}
