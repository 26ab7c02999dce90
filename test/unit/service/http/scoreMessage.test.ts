import { expect } from 'chai';
import { scoreMessage } from '../../../../src/engine/live/liveMessages.ts';
import { LiveSeries } from '../../../../src/engine/live/LiveSeries.ts';
import { parseTimestampUs } from '../../../../src/ticks/timestamps.ts';

describe('the score of a live series', () => {
  it('begins at its first tick, or at resume_after of a forecast that another connection has counted up to there', () => {
    const plan = (id: string, resumeAfter?: string): ConstructorParameters<typeof LiveSeries>[0][number] => ({
      ...{ id, horizonMs: 60_000, everyMs: 5000, options: {} },
      ...(resumeAfter === undefined ? {} : { resumeAfterUs: parseTimestampUs(resumeAfter) }),
    });
    const plans = [plan('new'), plan('later', '2024-01-02 09:00:05.000'), plan('earlier', '2024-01-02 08:00:00.000')];
    const scoresOf = (since: string | null): (string | null)[] => {
      const series = new LiveSeries(plans, {} as never, {} as never);
      return scoreMessage({ name: 's', since, series }).scores.map((score) => score.since);
    };
    expect(scoresOf('2024-01-02 09:00:00.000')).to.deep.equal([
      '2024-01-02 09:00:00.000',
      '2024-01-02 09:00:05.000',
      '2024-01-02 09:00:00.000',
    ]);
    expect(scoresOf(null)).to.deep.equal([null, null, null]);
  });
});
