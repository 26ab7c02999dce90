import { expect } from 'chai';
import { LogSink, MAX_WAITING_BYTES } from '../../../../src/core/observability/LogSink.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

/** A destination of so many bytes; null: it takes all. */
function makeRig(): { sink: LogSink; clock: FakeClock; written: () => string; room: (bytes: number | null) => void; tries: () => number } {
  const clock = new FakeClock();
  let [text, free, tries] = ['', Infinity, 0];
  const write = (bytes: Uint8Array): number => {
    tries++;
    if (free === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const part = bytes.subarray(0, Math.min(free, bytes.length));
    free -= part.length;
    text += Buffer.from(part).toString();
    return part.length;
  };
  const room = (bytes: number | null): void => void (free = bytes ?? Infinity);
  return { sink: new LogSink({ clock, write }), clock, written: () => text, room, tries: () => tries };
}

const LINE = `${'x'.repeat(1023)}\n`;

describe('LogSink', () => {
  it('writes a line before it returns', () => {
    const { sink, written } = makeRig();
    sink.write('one\n');
    sink.write('two\n');
    expect(written()).to.equal('one\ntwo\n');
  });

  it('writes lines that may wait together, in their order, and before the next line that may not', () => {
    const { sink, clock, written, tries } = makeRig();
    for (const line of ['one\n', 'two\n']) sink.write(line, true);
    expect([written(), tries()]).to.deep.equal(['', 0]);
    clock.advance(10);
    expect([written(), tries()]).to.deep.equal(['one\ntwo\n', 1]);
    sink.write('three\n', true);
    sink.write('four\n');
    expect(written()).to.equal('one\ntwo\nthree\nfour\n');
    sink.write('five\n', true);
    sink.writeWaiting();
    clock.advance(10);
    expect([written(), tries()]).to.deep.equal(['one\ntwo\nthree\nfour\nfive\n', 3]);
  });

  it('writes lines that may wait before so many of them wait that some would be dropped', () => {
    const { sink, written, tries } = makeRig();
    for (let i = 0; i < 2 * (MAX_WAITING_BYTES / LINE.length); i++) sink.write(LINE, true);
    expect([sink.droppedLines, tries()]).to.deep.equal([0, 32]);
    expect(written()).to.have.lengthOf(2 * MAX_WAITING_BYTES);
  });

  it('keeps what cannot be written, and goes on in the middle of a line', () => {
    const { sink, clock, written, room } = makeRig();
    room(2);
    for (const line of ['one\n', 'two\n']) sink.write(line);
    expect(written()).to.equal('on');
    room(null);
    clock.advance(10);
    expect(written()).to.equal('one\ntwo\n');
    expect(sink.droppedLines).to.equal(0);
  });

  it('keeps a bounded number of bytes, drops later lines, and tells how many once the others are written', () => {
    const { sink, clock, written, room } = makeRig();
    room(0);
    const kept = MAX_WAITING_BYTES / LINE.length;
    for (let i = 0; i < kept; i++) sink.write(LINE);
    expect(sink.droppedLines).to.equal(0);
    for (const text of [LINE, 'short\n', 'two\nlines\n']) sink.write(text);
    expect(sink.droppedLines).to.equal(4);
    room(LINE.length);
    clock.advance(10_000);
    // There would be space: the count comes first, in its place.
    sink.write('short\n');
    expect([sink.droppedLines, written()]).to.deep.equal([5, LINE]);
    room(null);
    clock.advance(10_000);
    sink.write('after\n');
    const lines = written().split('\n');
    expect(lines).to.have.lengthOf(kept + 3);
    expect(JSON.parse(lines[kept] ?? '')).to.include({ level: 'warn', lines: 5, msg: 'log lines were dropped' });
    expect(lines.slice(kept + 1)).to.deep.equal(['after', '']);
    expect(sink.droppedLines).to.equal(5);
  });

  it('tries less and less often while nothing can be written, and once a second at least', () => {
    const { sink, clock, room, tries, written } = makeRig();
    room(0);
    sink.write('one\n');
    for (let ms = 0; ms < 60_000; ms += 5) {
      sink.write('more\n');
      clock.advance(5);
    }
    expect(tries()).to.be.within(60, 75);
    room(null);
    clock.advance(1000);
    expect(written().startsWith('one\nmore\n')).to.equal(true);
  });

  it('flush resolves when all is written, and at its limit where it cannot be', async () => {
    const { sink, clock, written, room } = makeRig();
    /** Moves the clock until it is settled. */
    const passed = async (flushed: Promise<void>): Promise<number> => {
      const startMs = clock.nowMs();
      let isOver = false;
      void flushed.then(() => (isOver = true));
      for (await Promise.resolve(); !isOver; await Promise.resolve()) {
        clock.advance(5);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return clock.nowMs() - startMs;
    };
    expect(await passed(sink.flush(500))).to.be.below(10);
    room(0);
    sink.write('one\n');
    expect(await passed(sink.flush(500))).to.be.within(500, 510);
    const flushed = sink.flush(500);
    room(null);
    expect(await passed(flushed)).to.be.below(15);
    expect(written()).to.equal('one\n');
  });
});
