import { expect } from 'chai';
import { p99Between, parseLoopDelays } from '../../../../bench/serving/loopDelay.ts';

const text = (counts: readonly number[]): string =>
  ['0.001', '0.01', '+Inf'].map((edge, i) => `tickmark_event_loop_delay_seconds_bucket{le="${edge}"} ${counts[i]}`).join('\n') +
  '\ntickmark_event_loop_delay_seconds_sum 3\ntickmark_batch_duration_seconds_bucket{le="1"} 7\n';

describe('event-loop delay between two readings', () => {
  it('is the bucket edge of the p99, without earlier delays', () => {
    const before = parseLoopDelays(text([0, 10, 50]));
    expect(before).to.deep.equal([
      { upToS: 0.001, count: 0 },
      { upToS: 0.01, count: 10 },
      { upToS: Infinity, count: 50 },
    ]);
    expect(p99Between(before, parseLoopDelays(text([99, 110, 150])))).to.equal(1);
    expect(p99Between(before, parseLoopDelays(text([98, 110, 150])))).to.equal(10);
    expect(p99Between(before, parseLoopDelays(text([50, 108, 150])))).to.equal(Infinity);
  });

  it('throws if nothing was measured', () => {
    const same = parseLoopDelays(text([1, 2, 3]));
    expect(() => p99Between(same, same)).to.throw('no delay');
  });
});
