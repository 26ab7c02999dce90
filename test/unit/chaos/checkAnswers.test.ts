import { expect } from 'chai';
import { checkAnswer, type Ended, type Expected } from '../../chaos/checkAnswer.ts';
import { batchFault, detailFault, plainFault, type Window } from '../../chaos/windows.ts';
import { problemOf } from '../../../src/contract/problem.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import type { ErrorCode } from '../../../src/core/errorTable.ts';

const NOTHING = { mayCut: false, delayMs: 0 };
const plain = (mark: 1 | null): string => JSON.stringify({ a: { trend_identified: null }, b: { trend_identified: mark } });
const detailed = (mark: 1 | null, probability: number): string =>
  JSON.stringify({ a: { trend_identified: null }, b: { trend_identified: mark, detail: { opportunity: { probability } } } });
const window: Window = { body: '', plain: plain(1), probability: 0.5 };
const expected: Expected = {
  method: 'POST',
  path: '/auth/ti-tick',
  statuses: [200, 503, 504],
  hasGoodKey: true,
  fault: (text) => plainFault(window, text),
  limitMs: 5000,
};

function answered(status: number, text: string, headers: Record<string, string> = {}, tookMs = 10): Ended {
  return { fromMs: 0, toMs: tookMs, answer: { status, text, headers: { 'content-type': 'application/json', ...headers } } };
}

function refused(code: ErrorCode, headers: Record<string, string> = {}): Ended {
  const problem = problemOf(new ServiceError(code, 'so it is'), 'id');
  return answered(problem.status, JSON.stringify(problem), { 'content-type': 'application/problem+json', ...headers });
}

const brokenBy = (ended: Ended, allowed = NOTHING, asked = expected): string[] =>
  checkAnswer(asked, ended, allowed).flatMap(({ promise, fault }) => (fault === undefined ? [] : [promise]));

describe('the checks of the chaos run', () => {
  it('holds every promise of a right answer, and says which it tested', () => {
    const findings = checkAnswer(expected, answered(200, plain(1)), NOTHING);
    expect(findings.map(({ promise }) => promise)).to.have.members(['answered', 'kept', 'keys', 'documented', 'right']);
    expect(findings.filter(({ fault }) => fault !== undefined)).to.deep.equal([]);
    expect(brokenBy(refused('service.not_ready', { 'retry-after': '1' }))).to.deep.equal([]);
  });

  it('finds a wrong answer', () => {
    expect(brokenBy(answered(200, plain(null)))).to.deep.equal(['right']);
    expect(detailFault(window, detailed(1, 0.5 + 5e-7))).to.equal(undefined);
    expect(detailFault(window, detailed(1, 0.5 + 2e-6))).to.match(/wrong probability/);
    expect(detailFault(window, detailed(null, 0.5))).to.match(/wrong mark/);
  });

  it('finds a wrong item of a batch, a missing one and one that is refused without reason', () => {
    const good = { status: 200, body: JSON.parse(plain(1)) as object };
    const text = (...results: object[]): string => JSON.stringify({ results });
    expect(batchFault([window], text(good, { status: 422 }))).to.equal(undefined);
    expect(batchFault([window], text({ status: 503, problem: { retryAfterSeconds: 1 } }, { status: 422 }))).to.equal(undefined);
    expect(batchFault([window], text({ ...good, body: {} }, { status: 422 }))).to.match(/wrong answer/);
    expect(batchFault([window], text(good))).to.match(/1 results for 2 items/);
    expect(batchFault([window], text({ status: 503, problem: {} }, { status: 422 }))).to.match(/item 0: 503/);
    expect(batchFault([window], text(good, good))).to.match(/item 1: 200/);
  });

  it('finds a 503 without Retry-After, a problem of another type and a status that is not expected', () => {
    expect(brokenBy(refused('service.not_ready'))).to.deep.equal(['documented']);
    expect(brokenBy(refused('inference.deadline', { 'content-type': 'text/plain' }))).to.deep.equal(['documented']);
    expect(brokenBy(refused('internal.unexpected'))).to.deep.equal(['documented']);
    expect(brokenBy(answered(200, '{"b":{"trend":1}}'))).to.deep.equal(['documented', 'right']);
  });

  it('finds a good key that is refused', () => {
    expect(brokenBy(refused('limit.exceeded', { 'retry-after': '9' }))).to.deep.equal(['keys']);
    expect(brokenBy(refused('auth.key_refused'))).to.deep.equal(['keys']);
  });

  it('finds a request that hangs and one that is late, but for the time of a fault', () => {
    expect(brokenBy({ fromMs: 0, toMs: 20_000, hung: true }, { mayCut: true, delayMs: 1000 })).to.deep.equal(['answered']);
    const late = answered(200, plain(1), {}, 5500);
    expect(brokenBy(late)).to.deep.equal(['answered']);
    expect(brokenBy(late, { mayCut: false, delayMs: 600 })).to.deep.equal([]);
  });

  it('finds a connection that is closed without an answer, where no fault closes it', () => {
    const closed: Ended = { fromMs: 0, toMs: 10, closed: 'ECONNRESET' };
    expect(brokenBy(closed)).to.deep.equal(['kept']);
    expect(brokenBy(closed, { mayCut: true, delayMs: 0 })).to.deep.equal([]);
  });

  it('counts a request for one promise alone where that is asked', () => {
    const asked: Expected = { method: 'GET', path: '/health/live', statuses: [200], limitMs: 1000, countsAs: 'live' };
    expect(checkAnswer(asked, answered(200, '{"status":"live"}'), NOTHING)).to.deep.equal([{ promise: 'live', fault: undefined }]);
    expect(brokenBy(answered(200, '{"status":"live"}', {}, 1200), NOTHING, asked)).to.deep.equal(['live']);
  });
});
