import { expect } from 'chai';
import { StopSignals } from '../../../src/cli/processEvents.ts';

describe('StopSignals', () => {
  const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
  let exits: number[];
  let before: NodeJS.SignalsListener[][];
  beforeEach(() => {
    before = SIGNALS.map((name) => process.listeners(name));
    exits = [];
  });
  afterEach(() => {
    SIGNALS.forEach((name, i) => {
      for (const listener of process.listeners(name)) if (!before[i].includes(listener)) process.off(name, listener);
    });
  });
  const open = (ofOnePress = 1): StopSignals => new StopSignals({ ofOnePress, exit: (code) => void exits.push(code) });
  // Not process.emit: mocha's own listener would stop the run.
  const send = (name: (typeof SIGNALS)[number]): void => {
    for (const listener of process.listeners(name)) if (!before[SIGNALS.indexOf(name)].includes(listener)) listener(name);
  };

  it('tells the first signal and lets the process live', async () => {
    const signals = open();
    send('SIGTERM');
    expect(await signals.first).to.equal('SIGTERM');
    expect(exits).to.deep.equal([]);
  });

  it('ends the process at the second', () => {
    open();
    send('SIGINT');
    send('SIGINT');
    expect(exits).to.deep.equal([130]);
    send('SIGTERM');
    expect(exits).to.deep.equal([130, 143]);
  });

  it('under npm, ends the process at the third: each press comes twice there', () => {
    open(2);
    send('SIGINT');
    send('SIGINT');
    expect(exits).to.deep.equal([]);
    send('SIGINT');
    expect(exits).to.deep.equal([130]);
  });

  it('catches and ignores what comes after its end', () => {
    const signals = open();
    send('SIGINT');
    signals.close();
    send('SIGINT');
    expect(exits).to.deep.equal([]);
  });
});
