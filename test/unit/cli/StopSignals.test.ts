import { expect } from 'chai';
import { StopSignals } from '../../../src/cli/StopSignals.ts';
import { FakeClock } from '../../support/FakeClock.ts';

describe('StopSignals', () => {
  const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
  let clock: FakeClock;
  let exits: number[];
  let signals: StopSignals;
  let before: NodeJS.SignalsListener[][];
  beforeEach(() => {
    before = SIGNALS.map((name) => process.listeners(name));
    clock = new FakeClock();
    exits = [];
    signals = new StopSignals({ clock, exit: (code) => void exits.push(code) });
  });
  afterEach(() => {
    SIGNALS.forEach((name, i) => {
      for (const listener of process.listeners(name)) if (!before[i]!.includes(listener)) process.off(name, listener);
    });
  });
  // Not process.emit: mocha's own listener would stop the run.
  const send = (name: (typeof SIGNALS)[number]): void => {
    for (const listener of process.listeners(name)) if (!before[SIGNALS.indexOf(name)]!.includes(listener)) listener(name);
  };

  it('tells the first signal and lets the process live', async () => {
    send('SIGTERM');
    expect(await signals.first).to.equal('SIGTERM');
    expect(exits).to.deep.equal([]);
  });

  it('takes a second signal within half a second for the echo that npm sends', () => {
    send('SIGINT');
    clock.advance(499);
    send('SIGINT');
    expect(exits).to.deep.equal([]);
  });

  it('ends the process at a second signal after that', () => {
    send('SIGINT');
    clock.advance(500);
    send('SIGINT');
    expect(exits).to.deep.equal([130]);
    send('SIGTERM');
    expect(exits).to.deep.equal([130, 143]);
  });

  it('catches and ignores what comes after its end', () => {
    send('SIGINT');
    signals.close();
    clock.advance(1000);
    send('SIGINT');
    expect(exits).to.deep.equal([]);
  });
});
