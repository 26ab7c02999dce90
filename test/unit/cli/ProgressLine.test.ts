import { expect } from 'chai';
import { ProgressLine } from '../../../src/cli/CliContext.ts';

describe('ProgressLine', () => {
  it('prints lasting events in a log, and a passing one every half minute', () => {
    let nowMs = 0;
    const written: string[] = [];
    const progress = new ProgressLine(
      (text) => written.push(text),
      false,
      () => nowMs,
    );
    progress.show('read a', false);
    for (; nowMs <= 61_000; nowMs += 1000) progress.show(`training at ${nowMs}`, true);
    progress.end();
    expect(written).to.deep.equal(['read a\n', 'training at 30000\n', 'training at 60000\n']);
  });

  it('keeps passing events on one line of a terminal and ends it', () => {
    const written: string[] = [];
    const progress = new ProgressLine(
      (text) => written.push(text),
      true,
      () => 0,
    );
    progress.show('10 %', true);
    progress.show('20 %', true);
    progress.show('saved', false);
    progress.show('30 %', true);
    progress.end();
    expect(written.join('')).to.equal('\r\x1b[2K10 %\r\x1b[2K20 %\r\x1b[2Ksaved\n\r\x1b[2K30 %\n');
  });
});
