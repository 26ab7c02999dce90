import { expect } from 'chai';
import { SLEPT_MS, TickPlayer } from '../../../../src/console/live/TickPlayer.ts';

const S = 1_000_000;
/** A tick each second. */
const seconds = (count: number): Float64Array => Float64Array.from({ length: count }, (_, i) => i * S);

describe('TickPlayer', () => {
  it('sends the warm-up at once, and the rest at the speed', () => {
    const player = new TickPlayer(seconds(100), 10, 20);
    player.run(1000);
    expect(player.take(1000, 500)).to.deep.equal({ from: 0, to: 20 });
    expect(player.take(1050, 500)).to.deep.equal({ from: 20, to: 20 });
    expect(player.take(1100, 500)).to.deep.equal({ from: 20, to: 21 });
    expect(player.take(2100, 500)).to.deep.equal({ from: 21, to: 31 });
  });

  it('sends no more ticks than there is room for, and catches up', () => {
    const player = new TickPlayer(seconds(100), 10, 1);
    player.run(0);
    expect(player.take(5000, 10)).to.deep.equal({ from: 0, to: 10 });
    expect(player.isBehind).to.equal(true);
    expect(player.take(5000, 100)).to.deep.equal({ from: 10, to: 51 });
    expect(player.isBehind).to.equal(false);
  });

  it('takes all ticks as fast as there is room at full speed', () => {
    const player = new TickPlayer(seconds(30), Infinity, 1);
    player.run(0);
    expect(player.take(0, 20)).to.deep.equal({ from: 0, to: 20 });
    expect(player.take(0, 20)).to.deep.equal({ from: 20, to: 30 });
    expect(player.isAtEnd).to.equal(true);
    expect(player.isBehind).to.equal(false);
  });

  it('stands still while it is paused, and goes on with the next tick', () => {
    const player = new TickPlayer(seconds(100), 1, 5);
    player.run(0);
    player.take(0, 500);
    player.pause();
    expect(player.take(60_000, 500)).to.deep.equal({ from: 5, to: 5 });
    player.run(60_000);
    expect(player.take(60_900, 500).to).to.equal(5);
    expect(player.take(61_000, 500).to).to.equal(6);
  });

  it('lets no time pass while it is held', () => {
    const player = new TickPlayer(seconds(100), 1, 5);
    player.run(0);
    player.hold(30_000);
    expect(player.take(31_000, 500).to).to.equal(6);
  });

  it('catches up after a minute without timers, as in a hidden tab', () => {
    const player = new TickPlayer(seconds(1000), 1, 5);
    player.run(0);
    player.take(0, 500);
    expect(player.take(59_000, 500).to).to.equal(64);
    expect(player.isRunning).to.equal(true);
  });

  for (const call of ['take', 'hold'] as const)
    it(`pauses after the tab slept, and says for how long (${call})`, () => {
      const player = new TickPlayer(seconds(9000), 1, 5);
      player.run(0);
      player.take(0, 500);
      if (call === 'hold') player.hold(3_600_000);
      else expect(player.take(3_600_000, 500)).to.deep.equal({ from: 5, to: 5 });
      expect([player.isRunning, player.sleptMs]).to.deep.equal([false, 3_600_000]);
      player.run(3_600_000);
      expect([player.isRunning, player.sleptMs]).to.deep.equal([true, 0]);
      expect(player.take(3_601_000, 500).to).to.equal(6);
    });

  it('takes a step back of the clock of the computer for no time', () => {
    const player = new TickPlayer(seconds(100), 1, 5);
    player.run(SLEPT_MS);
    player.take(SLEPT_MS, 500);
    expect(player.take(0, 500).to).to.equal(5);
    expect(player.take(1000, 500).to).to.equal(6);
  });

  it('skips a pause of the market that would take long at its speed', () => {
    const timesUs = Float64Array.from([0, S, 2 * S, 8 * 3600 * S, 8 * 3600 * S + S]);
    const player = new TickPlayer(timesUs, 60, 3);
    player.run(0);
    expect(player.take(0, 500).to).to.equal(3);
    expect(player.take(50, 500).to).to.equal(4);
    expect(player.take(100, 500).to).to.equal(5);
  });

  it('does not race after a slow service longer than a minute of its speed, and not at all after a change of speed', () => {
    const player = new TickPlayer(seconds(100_000), 10, 1);
    player.run(0);
    player.take(0, 1);
    for (let ms = 0; ms <= 600_000; ms += 1000) player.take(ms, 0);
    expect(player.take(600_000, 100_000).to).to.be.within(600, 603);
    for (let ms = 600_000; ms <= 630_000; ms += 1000) player.take(ms, 0);
    player.setSpeed(1);
    expect(player.isBehind).to.equal(false);
    const { from, to } = player.take(631_000, 100_000);
    expect(to - from).to.be.within(1, 2);
  });
});
