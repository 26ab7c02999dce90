import { expect } from 'chai';
import { binsFor, calibrationText, scoredOf } from '../../../../src/console/live/calibration.ts';
import { ForecastLog, statusOf, writeForecastCsv } from '../../../../src/console/live/ForecastLog.ts';
import { calibrationOf } from '../../../../src/console/replay/curves.ts';
import { forecast, mark, outcome } from './liveMessages.ts';

describe('ForecastLog', () => {
  it('tells a null below the threshold from one that says nothing', () => {
    expect(statusOf(mark())).to.equal('identified');
    expect(statusOf(forecast())).to.equal('none');
    expect(statusOf(forecast({ reasons: ['below_threshold', 'vetoed_by_rule'] }))).to.equal('abstained');
    expect(statusOf(forecast({ reasons: ['head_abstains'] }))).to.equal('abstained');
  });

  it('joins an outcome to its forecast, by id and number', () => {
    const log = new ForecastLog();
    log.add(forecast({ n: 3 }), 0);
    log.add(forecast({ id: '10s', n: 3 }), 0);
    expect(log.settle(outcome({ id: '10s', n: 3, moved: false }))?.message.id).to.equal('10s');
    expect(log.settle(outcome({ n: 9 }))).to.equal(undefined);
    expect(log.rows.map((row) => row.outcome?.moved)).to.deep.equal([undefined, false]);
  });

  it('gives the newest forecast of an id, whatever the order of their arrival', () => {
    const log = new ForecastLog();
    log.add(forecast({ n: 5 }), 0);
    log.add(forecast({ n: 4 }), 0);
    expect(log.latest('60s')?.message.n).to.equal(5);
    expect(log.latest('5m')).to.equal(undefined);
  });

  it('keeps the last forecasts only, and counts those that it dropped', () => {
    const log = new ForecastLog(100);
    for (let n = 0; n < 1000; n++) log.add(forecast({ n }), n);
    expect(log.rows.length).to.be.within(100, 110);
    expect(log.rows.length + log.dropped).to.equal(1000);
    expect(log.rows.at(-1)?.message.n).to.equal(999);
    expect(log.settle(outcome({ n: 0 })), 'of a forecast that was dropped').to.equal(undefined);
    expect(log.takeChanges().added.length).to.be.at.most(101);
  });

  it('gives each change once', () => {
    const log = new ForecastLog();
    log.add(forecast(), 0);
    log.settle(outcome());
    const { added, settled } = log.takeChanges();
    expect([added.length, settled.length]).to.deep.equal([1, 1]);
    expect(log.takeChanges()).to.deep.equal({ added: [], settled: [] });
  });
});

describe('the calibration of a stream', () => {
  const at = (s: number): string => `1970-01-01 00:${String(Math.floor(s / 60)).padStart(2, '0')}:${String(s % 60).padStart(2, '0')}.000`;

  it('takes the outcomes of each horizon that do not overlap', () => {
    const log = new ForecastLog();
    for (const [n, id, from, to] of [
      [0, '60s', 0, 60],
      [1, '60s', 5, 65],
      [2, '60s', 60, 120],
      [3, '60s', 61, 121],
      [4, '10s', 5, 15],
    ] as const) {
      log.add(forecast({ n, id, timestamp: at(from), future: at(to), probability: n / 10 }), 0);
      log.settle(outcome({ n, id, moved: n === 3 }));
    }
    expect(scoredOf(log.rows)).to.deep.equal([
      { probability: 0, moved: false },
      { probability: 0.3, moved: true },
      { probability: 0.4, moved: false },
    ]);
  });

  it('leaves out forecasts without a probability or a known outcome', () => {
    const log = new ForecastLog();
    log.add(forecast({ n: 0 }), 0);
    log.add(forecast({ n: 1, probability: null }), 0);
    log.add(forecast({ n: 2 }), 0);
    log.settle(outcome({ n: 1 }));
    log.settle(outcome({ n: 2, moved: null, move_bps: null, reason: 'session_gap' }));
    expect(scoredOf(log.rows)).to.deep.equal([]);
  });

  it('says in words what it shows, from ten outcomes on', () => {
    expect([binsFor(9), binsFor(25), binsFor(5000)]).to.deep.equal([0, 2, 10]);
    expect(calibrationText(calibrationOf([{ probability: 0.5, moved: true }], binsFor(1)))).to.include('too few for a calibration');
    const scored = Array.from({ length: 20 }, (_, i) => ({ probability: i < 10 ? 0.2 : 0.7, moved: i % 2 === 0 }));
    expect(calibrationText(calibrationOf(scored, binsFor(20)))).to.equal(
      'Of the forecasts with a probability around 20 %, 50 % moved (10 outcomes); around 70 %, 50 % moved (10 outcomes).',
    );
  });
});

describe('writeForecastCsv', () => {
  it('writes a decision threshold without its rounding error', () => {
    const log = new ForecastLog();
    log.add(forecast({ decision_threshold: 0.10000000000000002 }), 0);
    log.add(forecast({ n: 1, decision_threshold: null }), 0);
    const written = writeForecastCsv(log.rows)
      .split('\n')
      .slice(1, 3)
      .map((line) => line.split(',')[7]);
    expect(written).to.deep.equal(['0.1', '']);
  });

  it('writes a line for each forecast with its outcome, and empty fields for what is not known', () => {
    const log = new ForecastLog();
    log.add(mark({ n: 0 }), 0);
    log.add(forecast({ n: 1, probability: null, min_move_bps: null, reasons: ['below_threshold', 'vetoed_by_rule'] }), 0);
    log.add(forecast({ n: 2 }), 0);
    log.settle(outcome({ n: 0 }));
    log.settle(outcome({ n: 2, moved: null, move_bps: null, reason: 'session_gap' }));
    expect(writeForecastCsv(log.rows).split('\n')).to.deep.equal([
      'series,id,n,timestamp,future,status,probability,decision_threshold,min_move_bps,reasons,model,moved,move_bps,outcome_reason',
      'ticks,60s,0,1970-01-01 00:00:10.000,1970-01-01 00:01:10.000,identified,0.75,0.5,2.5,,base,true,3.2,',
      'ticks,60s,1,1970-01-01 00:00:10.000,1970-01-01 00:01:10.000,abstained,,0.5,,below_threshold vetoed_by_rule,base,pending,,',
      'ticks,60s,2,1970-01-01 00:00:10.000,1970-01-01 00:01:10.000,none,0.25,0.5,2.5,below_threshold,base,,,session_gap',
      '',
    ]);
  });
});
