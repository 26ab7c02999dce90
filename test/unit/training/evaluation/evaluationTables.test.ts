import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { directionTest } from '../../../../training/evaluation/directionTest.ts';
import { compareAsServed } from '../../../../training/evaluation/compareAsServed.ts';
import { evaluationTables } from '../../../../training/evaluation/evaluationTables.ts';
import { reliabilityBins } from '../../../../training/evaluation/scoreTables.ts';
import { compareScores, entriesOf, instrumentClusters, labelsOf, pickColumns } from '../../../../training/evaluation/Scores.ts';
import type { TickSource } from '../../../../training/data/TickSource.ts';
import { handRows, type HandRow } from '../../../support/handRows.ts';

const random = seededRandom(4);
const LIST: HandRow[] = Array.from({ length: 400 }, (_, i) => ({
  ...{ move: [2, -2, 0.5, 0][i % 4], hour: 20 + (i % 8), instrument: i % 3, horizonS: i % 2 === 0 ? 5 : 60, head: i % 2 },
  ...{ candidate: 0.2 + (i % 4 < 2 ? 0.5 : 0) * random.uniform(), ewma: 0.25, directionLogit: (i % 4 === 0 ? 1 : 0) + random.normal() },
  marked: i % 5 === 0 ? 1 : 0,
}));
const { rows, scores } = handRows(LIST);
const sources = [{ name: 'EURUSD' }, { name: 'BTC' }] as TickSource[];
const alone = { ...scores, candidate: scores.candidate.map((p) => p / 2), marked: null };
const compared = compareAsServed(rows, scores, alone, entriesOf(scores), seededRandom(3));
const tables = evaluationTables('test rows', rows, compared, sources, 3);
const tableOf = (start: string) => tables.find(({ title }) => title.startsWith(start))!;

describe('evaluationTables', () => {
  it('has a table for each view, with the name of the rows', () => {
    expect(tables.map(({ title }) => title)).to.deep.equal(
      [
        ...['As served, compared with the recalibrated volatility baseline', 'As served, compared with the base rate so far'],
        ...['Windows alone, compared with EWMA', 'Origins with a price', 'Origins with a move', 'Marks'],
        ...['By horizon (s)', 'By instrument', 'By hour of the day (UTC)', 'Reliability', 'Direction on opportunities'],
      ].map((title) => `${title}, test rows`),
    );
    for (const { title, head, rows: lines } of tables) for (const line of lines) expect(line, title).to.have.length(head.length);
    expect(tableOf('As served, compared with the base').head).to.deep.equal(['', 'base rate so far', 'this version', 'difference']);
    expect(tableOf('As served').about).to.match(
      /The probabilities (were|cannot be).* the (recalibrated volatility baseline|base rate so far)( yet)?: Brier skill /,
    );
    const brierOf = (start: string): string | undefined => tableOf(start).rows.find(([name]) => name === 'Brier skill')?.[2];
    expect(brierOf('Windows alone')).to.not.equal(brierOf('As served'));
  });

  it('groups by horizon, by name of the instrument and by hour of the day', () => {
    const groupsOf = (start: string) => tableOf(start).rows.map(([name, count]) => [name, Number(count)]);
    expect(groupsOf('By horizon')).to.deep.equal([['5', 200], ['60', 200]]); // prettier-ignore
    expect(groupsOf('By instrument')).to.deep.equal([['', 133], ['BTC', 133], ['EURUSD', 134]]); // prettier-ignore
    expect(groupsOf('By hour')).to.deep.equal([0, 1, 2, 3, 20, 21, 22, 23].map((hour) => [`${hour}`, 50]));
  });

  it('shows the bins of the reliability and the test of the direction', () => {
    const bins = reliabilityBins(scores.candidate, labelsOf(rows, scores.row));
    expect(tableOf('Reliability').rows).to.deep.equal(
      bins.map(({ p, rate, low, high, n }) => [p.toFixed(3), rate.toFixed(3), `${low.toFixed(3)} to ${high.toFixed(3)}`, `${n}`]),
    );
    const found = directionTest(rows, scores, seededRandom(3));
    expect(found.map(({ n }) => n)).to.deep.equal([100, 100]);
    expect(tableOf('Direction').rows).to.deep.equal(
      found.map(({ n, auc, standardError }, i) => [['h30s', 'h3m'][i], `${n}`, ...(Number.isFinite(auc) ? [auc.toFixed(3)] : ['–']), Number.isFinite(standardError) ? standardError.toFixed(3) : '–', '–']), // prettier-ignore
    );
  });

  it('gives one table that says so if no origin counts', () => {
    const none = compareAsServed(rows, scores, alone, Int32Array.of(), seededRandom(3));
    expect(evaluationTables('test rows', rows, none, sources, 3)).to.deep.equal([
      {
        title: 'Compared with the baselines, test rows',
        about: 'No origin counts: the version was trained on all of them, or there are too few.',
        ...{ head: [''], rows: [] },
      },
    ]);
  });
});

describe('Scores', () => {
  it('can be cut to some entries', () => {
    const served = Float64Array.from(LIST, (_, i) => i / 1000);
    const { row, ...rest } = pickColumns({ ...scores, served, servedMarked: scores.marked }, Int32Array.of(3, 0, 7));
    expect([...row]).to.deep.equal([3, 0, 7]);
    const pick = (values: ArrayLike<number>): number[] => [3, 0, 7].map((i) => values[i]);
    expect(Object.fromEntries(Object.entries(rest).map(([name, values]) => [name, [...values!]]))).to.deep.equal({
      ...{ candidate: pick(scores.candidate), ewma: pick(scores.ewma), served: pick(served) },
      ...{ directionLogit: pick(scores.directionLogit), marked: pick(scores.marked!), servedMarked: pick(scores.marked!) },
      baseRate: pick(scores.baseRate!),
    });
    expect(pickColumns({ ...scores, marked: null }, Int32Array.of(1))).to.deep.include({ served: null, marked: null });
  });

  it('are clustered by instrument and span of time', () => {
    const hand = handRows([{ move: 0, hour: 5 }, { move: 0, hour: 6 }, { move: 0, hour: 5, instrument: 1 }, { move: 0, hour: 6 }, { move: 0, hour: 30 }]); // prettier-ignore
    const clusters = (spanHours: number): number[] => [...instrumentClusters(hand.rows, hand.scores.row, spanHours * 3600e6)];
    expect([clusters(1), clusters(24)]).to.deep.equal([[0, 1, 2, 1, 3], [0, 0, 1, 0, 2]]); // prettier-ignore
  });

  it('are compared with EWMA, and with a served version only if there is one', () => {
    const members = entriesOf(scores, (row) => rows.horizonS[row] === 60);
    const comparison = compareScores(rows, scores, 'ewma', members, seededRandom(1));
    expect(comparison).to.include({ n: 200, baseRate: 0.5, cellsSeen: 3 });
    // One cluster for each instrument and hour, and a day of each instrument on both sides of midnight.
    expect(comparison.clusters).to.equal(new Set(LIST.filter((_, i) => i % 2 === 1).map(({ instrument, hour }) => `${instrument} ${hour}`)).size); // prettier-ignore
    expect(() => compareScores(rows, scores, 'served', members, seededRandom(1))).to.throw(RangeError, /served/);
  });
});
