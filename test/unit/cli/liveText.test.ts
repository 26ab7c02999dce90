import { expect } from 'chai';
import { LiveText, skippedText } from '../../../src/cli/liveText.ts';
import type { ServerMessage } from '../../../src/contract/live.ts';

const forecast: ServerMessage<'forecast'> = {
  ...{ type: 'forecast', series: 'a', id: '60s', n: 3, last_tick: 'T', timestamp: 'T', future: 'F', trend_identified: 1 },
  ...{ status: 'identified', probability: 0.42, decision_threshold: 0.4, min_move_bps: 2.5, reasons: [], model: 'base' },
};

describe('the lines of tickmark live', () => {
  it('say whether a move is large for this market or beyond the cost of the caller', () => {
    const end = '2.5 bps by F: probability 0.42, mark from 0.4\n';
    expect(new LiveText(false).text(forecast)).to.equal(`T  a 60s #3  mark  unusually large move for this market, above ${end}`);
    expect(new LiveText(true).text(forecast)).to.equal(`T  a 60s #3  mark  move beyond your cost of ${end}`);
  });

  it('say that a threshold is below the spread', () => {
    const text = new LiveText(false).text({ ...forecast, notes: ['threshold_below_cost'] });
    expect(text).to.include('above 2.5 bps, below the spread by F: probability');
  });

  it('say that the version was trained on the ticks', () => {
    expect(new LiveText(false).text({ ...forecast, notes: ['seen_in_training'] })).to.match(/mark from 0\.4; in sample\n$/);
  });

  it('say of a window without a probability why, and what to do', () => {
    const refused = {
      trend_identified: null,
      status: 'abstained',
      probability: null,
      decision_threshold: null,
      min_move_bps: null,
    } as const;
    const text = new LiveText(false).text({ ...forecast, ...refused, reasons: ['level_changed'] });
    expect(text).to.match(
      /^T {2}a 60s #3 {2}no mark \(level_changed\) {2}The price changes its level in one step, .+ adjust what is before\.\n$/,
    );
    expect(text).to.not.include('none');
  });

  it('say which forecasts were skipped for want of a spread', () => {
    expect(skippedText({ 'request.invalid': 2 })).to.equal(
      '2 forecasts skipped: the window has no spread, which --min-move-bps cost needs.\n',
    );
  });
});
