import { expect } from 'chai';
import { ClockCheck } from '../../../../src/service/accounts/ClockCheck.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

function makeCheck() {
  const clock = new FakeClock();
  const logged: string[] = [];
  const logger = {
    info: (message: string) => void logged.push(`info ${message}`),
    warn: (message: string, fields?: object) => void logged.push(`warn ${message} ${JSON.stringify(fields)}`),
  };
  const state = { aheadMs: 0, tripMs: 0, failure: undefined as Error | undefined };
  const databaseMs = async (): Promise<number> => {
    if (state.failure !== undefined) throw state.failure;
    clock.advance(state.tripMs / 2);
    const serverMs = clock.nowMs() - state.aheadMs;
    clock.advance(state.tripMs / 2);
    return serverMs;
  };
  return { clock, logged, state, check: new ClockCheck({ databaseMs, clock, logger }) };
}

describe('ClockCheck', () => {
  for (const [aheadMs, tripMs, isTold] of [
    [0, 0, false],
    [2000, 0, false],
    [2001, 0, true],
    [-2001, 0, true],
    [3_600_000, 0, true],
    [-3_600_000, 400, true],
    // The round trip may explain it.
    [2100, 400, false],
    [0, 10_000, false],
  ] as const)
    it(`${isTold ? 'reports' : 'does not report'} a clock that is ${aheadMs} ms ahead of a database ${tripMs} ms away`, async () => {
      const { check, logged, state } = makeCheck();
      Object.assign(state, { aheadMs, tripMs });
      for (let i = 0; i < 3; i++) await check.check();
      expect(check.offsetMs).to.equal(aheadMs);
      expect(logged).to.have.length(isTold ? 1 : 0);
      if (isTold)
        expect(logged[0])
          .to.include('warn')
          .and.include('NTP')
          .and.include(`"offsetS":${aheadMs / 1000}`);
    });

  it('compares once a minute, keeps the last offset without an answer, says once that the clock is right again, and ends', async () => {
    const { check, clock, logged, state } = makeCheck();
    const minute = async (): Promise<void> => {
      clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    };
    state.aheadMs = 5000;
    check.start();
    await minute();
    state.failure = new Error('no answer');
    await minute();
    expect([check.offsetMs, logged.length]).to.deep.equal([5000, 1]);
    Object.assign(state, { failure: undefined, aheadMs: 100 });
    for (let i = 0; i < 3; i++) await minute();
    expect(check.offsetMs).to.equal(100);
    expect(logged.slice(1)).to.deep.equal(['info the clock of this machine agrees with that of the database again']);
    check.close();
    state.aheadMs = 9000;
    await minute();
    expect(check.offsetMs).to.equal(100);
  });
});
