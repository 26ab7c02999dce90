import { expect } from 'chai';
import { NullReasonSchema } from '../../../../src/contract/reasons.ts';
import { ForecastLog } from '../../../../src/console/live/ForecastLog.ts';
import { loadText, seriesFault, seriesNameOf } from '../../../../src/console/live/livePlan.ts';
import { abstainText, hitText, markText, outcomeWords, skippedText } from '../../../../src/console/live/liveWords.ts';
import { forecast, mark, outcome, score } from './liveMessages.ts';

describe('the words of a stream', () => {
  const rowOf = (message = forecast()) => new ForecastLog().add(message, 0);

  it('has words for every reason of the contract, and shows the code of a newer one', () => {
    const codes = (NullReasonSchema as unknown as { readonly enum: readonly string[] }).enum;
    expect(codes.length).to.be.above(5);
    for (const code of codes.filter((one) => one !== 'below_threshold')) {
      const text = abstainText(rowOf(forecast({ reasons: [code as 'vetoed_by_rule'] })));
      expect(text, code).to.match(/^[a-z].* /);
      expect(text, code).to.not.equal(code.replaceAll('_', ' '));
    }
    expect(abstainText(rowOf(forecast({ reasons: ['new_code' as 'vetoed_by_rule'] })))).to.equal('new code');
    expect([abstainText(rowOf()), abstainText(rowOf(mark()))]).to.deep.equal(['', '']);
  });

  it('says what came of a forecast', () => {
    const words = (change: Parameters<typeof outcome>[0]): string => outcomeWords({ ...rowOf(), outcome: outcome(change) });
    expect(outcomeWords(rowOf())).to.equal('pending');
    expect(words({ moved: true, move_bps: -3.21 })).to.equal('moved: down 3.21 bps');
    expect(words({ moved: false, move_bps: 0 })).to.equal('stayed: no move');
    expect(words({ moved: null, move_bps: null, reason: 'session_gap' })).to.equal('unknown: the market paused');
  });

  it('shows marks next to what marking everything would have reached', () => {
    const [one] = score().scores;
    expect(hitText(one!)).to.equal('1 of 2 marks came true: 50 %');
    expect(hitText(score({ marks: 0, hits: 0 }).scores[0])).to.equal('no mark in 3 outcomes');
    expect(hitText(score({ outcomes: 0 }).scores[0])).to.equal('no outcome yet');
  });

  it('says which forecasts were skipped, and why', () => {
    expect(skippedText({})).to.equal('');
    expect(skippedText({ 'limit.exceeded': 1200, other: 1 })).to.equal(
      'Forecasts skipped: 1,200 because the limit of the key is used up, 1 because other.',
    );
  });

  it('notifies of a mark without a direction', () => {
    expect(markText('EURUSD', mark({ id: '60s' }))).to.deep.equal({
      title: 'EURUSD: mark, 1 min ahead',
      body: 'A move of more than 2.5 bps, up or down, until 1970-01-01 00:01:10.000 UTC has a probability of 75 %.',
    });
    expect(markText('EURUSD', { ...mark({ id: '5m' }), isMarked: false }).title).to.equal('EURUSD: chance, 5 min ahead');
    expect(markText('EURUSD', mark(), true).body).to.match(/^A move beyond your cost of 2\.5 bps, up or down, until /);
    expect(markText('EURUSD', mark(), false).body).to.match(/^An unusually large move for this market, more than 2\.5 bps, up /);
  });

  it('names a series after its file, in the characters of the service', () => {
    expect(seriesNameOf('EURUSD 2024-01.csv.gz')).to.equal('EURUSD-2024-01');
    expect(seriesNameOf('.csv')).to.equal('.csv');
    expect(seriesNameOf('')).to.equal('ticks');
    expect(seriesNameOf(`${'é'.repeat(100)}.csv`)).to.equal('-'.repeat(64));
    for (const name of ['EURUSD 2024-01.csv.gz', '.csv', '', 'a/b\\c.csv']) expect(seriesFault(seriesNameOf(name)), name).to.equal(null);
    for (const name of ['', 'a b', 'ü', 'x'.repeat(65)]) expect(seriesFault(name), name).to.be.a('string');
  });

  it('says how many forecasts a stream asks for', () => {
    expect(loadText({ horizons: 4, everyS: 5, speed: 60, minMoveBps: undefined, isOfPage: false }))
      .to.include('About 2,880 forecasts a minute')
      .and.include('the threshold of each window');
    expect(loadText({ horizons: 1, everyS: 5, speed: Infinity, minMoveBps: 2.5, isOfPage: false }))
      .to.include('as fast as the service answers')
      .and.include('your threshold of 2.5 bps');
    expect(loadText({ horizons: 4, everyS: 5, speed: 60, minMoveBps: undefined, isOfPage: true })).to.include(
      '2,880 forecasts a minute, in this page',
    );
    expect(loadText({ horizons: 4, everyS: 5, speed: Infinity, minMoveBps: undefined, isOfPage: true })).to.include(
      'as fast as they are computed, in this page',
    );
  });
});
