import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { wilsonInterval } from '../../../../src/engine/scoring/wilsonInterval.ts';
import {
  groupTable,
  markTables,
  outcomeTables,
  precisionCurve,
  reliabilityBins,
  reportCells,
  tableText,
} from '../../../../training/evaluation/scoreTables.ts';
import { boundScores, entriesOf } from '../../../../training/evaluation/Scores.ts';
import { handRows, type HandRow } from '../../../support/handRows.ts';

/** Rows in three cells: instrument 0 at 60 s, instrument 1 at 60 s and at 5 s; every third is an opportunity, and the scores know that in part. */
const random = seededRandom(4);
const MANY: HandRow[] = Array.from({ length: 360 }, (_, i) => {
  const isMove = i % 3 === 0;
  const guess = (skill: number): number =>
    Math.min(0.99, Math.max(0.01, 0.3 + skill * (isMove ? 1 : -0.5) + 0.15 * (random.uniform() - 0.5)));
  return {
    ...{ move: isMove ? 2 : i % 3 === 1 ? 0.5 : 0, hasPrice: i % 5 === 0 ? 0 : 1, hour: Math.floor(i / 30) },
    ...{ instrument: i % 3 === 2 ? 0 : Math.floor(i / 4) % 2, horizonS: Math.floor(i / 4) % 2 === 0 || i % 3 === 2 ? 60 : 5 },
    ...{ candidate: guess(0.1), ewma: guess(0.03), served: guess(0.06) },
  } as const;
});
const { rows, scores } = handRows(MANY);

/** Fraction of pairs of an opportunity and another row that the probabilities put in order; half for a tie. */
function aucOf(p: Float64Array, members: Int32Array): number {
  let [pairs, right] = [0, 0];
  for (const a of members)
    for (const b of members)
      if (Math.abs(rows.move[a]) > 1 && Math.abs(rows.move[b]) <= 1) {
        pairs++;
        right += p[a] > p[b] ? 1 : p[a] === p[b] ? 0.5 : 0;
      }
  return right / pairs;
}

describe('markTables', () => {
  it('gives precision by horizon, over the base rate and over that of the marked instruments', () => {
    const of = (horizonS: number, instrument: number, labels: readonly number[], marks: readonly (0 | 1)[]): HandRow[] =>
      labels.map((label, i) => ({ move: label === 1 ? -2 : 1, horizonS, instrument, marked: marks[i] }));
    const hand = handRows([
      ...of(60, 1, [1, 1, 1, 0], [0, 1, 0, 0]),
      ...of(10, 0, [1, 0, 1, 0], [1, 0, 1, 1]),
      ...of(60, 0, [0, 1], [1, 0]),
    ]);
    const [table] = markTables(hand.rows, hand.scores, ', test');
    expect(table?.title).to.equal('Marks, test');
    expect(table?.head).to.have.length(7);
    // Own base rates: 3/4 for instrument 1 at 60 s, 1/2 for the others.
    expect(table?.rows).to.deep.equal([
      ['all', '10', '0.600', '50.0 %', '0.600', '1.00', fixed(3 / (0.75 + 4 * 0.5))],
      ['10', '4', '0.500', '75.0 %', '0.667', '1.33', '1.33'],
      ['60', '6', '0.667', '33.3 %', '0.500', '0.75', fixed(1 / (0.75 + 0.5))],
    ]);
  });

  it('gives no table without thresholds, and a dash without a mark', () => {
    expect(markTables(rows, scores)).to.deep.equal([]);
    const hand = handRows([{ move: 2, marked: 0 }, { move: 0, marked: 0 }]); // prettier-ignore
    expect(markTables(hand.rows, hand.scores)[0]?.rows[0]).to.deep.equal(['all', '2', '0.500', '0.0 %', '–', '–', '–']);
  });
});
const fixed = (value: number): string => value.toFixed(2);

describe('outcomeTables', () => {
  it('compares on the origins with a price, and on those with a move', () => {
    const [price, move, ...more] = outcomeTables(rows, scores, seededRandom(1), ', test');
    expect(more).to.deep.equal([]);
    expect([price?.title, move?.title]).to.deep.equal(['Origins with a price, test', 'Origins with a move, test']);
    expect(price?.head).to.deep.equal(['', 'EWMA', 'this version', 'difference']);
    const count = (use: (row: HandRow) => boolean): number => MANY.filter(use).length;
    expect(price?.about).to.match(new RegExp(`^${count(({ hasPrice }) => hasPrice === 1)} origins, `));
    expect(move?.about).to.match(new RegExp(`^${count((row) => row.move !== 0)} origins, base rate 0.500`));
  });
});

describe('groupTable', () => {
  const table = (given: typeof scores) =>
    groupTable('By instrument', 'about it', rows, given, seededRandom(1), (row) => `name ${10 - 8 * rows.instrument[row]}`);

  it('has a line for each group, in the order of its name as a number', () => {
    const { title, about, head, rows: lines } = table({ ...scores, served: null });
    expect([title, about]).to.deep.equal(['By instrument', 'about it']);
    expect(head).to.deep.equal(['', 'origins', 'base rate', 'AUC EWMA', 'AUC', 'AUC difference', 'Brier skill', '']);
    expect(lines.map(([name]) => name)).to.deep.equal(['name 2', 'name 10']);
    const instruments = [1, 0];
    lines.forEach((line, i) => {
      const members = entriesOf(scores, (row) => rows.instrument[row] === instruments[i]);
      const [base, model] = [aucOf(scores.ewma, members), aucOf(scores.candidate, members)];
      const rate = members.filter((at) => rows.move[at] > 1).length / members.length;
      expect(line.slice(1, 5)).to.deep.equal([`${members.length}`, ...[rate, base, model].map((value) => value.toFixed(3))]);
      expect(line[5]).to.match(new RegExp(`^\\+${(model - base).toFixed(4)} \\(≥ [+−]0\\.\\d{4}\\)$`));
      expect(line[6]).to.match(/^[+−]0\.\d{4} \(≥ [+−]0\.\d{4}\)$/);
      expect(line[7], '12 hours are fewer than 30 clusters').to.equal('underpowered');
    });
  });

  it('adds the difference to the served version if there is one', () => {
    const { head, rows: lines } = table(scores);
    expect(head[7]).to.equal('AUC against the served version');
    const members = entriesOf(scores, (row) => rows.instrument[row] === 1);
    const difference = aucOf(scores.candidate, members) - aucOf(scores.served!, members);
    expect(lines[0]?.slice(7)).to.deep.equal([`${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(4)}`, 'underpowered']);
  });

  it('says nothing about power with enough clusters', () => {
    const wide = handRows(MANY.map((row, i) => ({ ...row, instrument: 0, hour: Math.floor(i / 4), candidate: row.ewma! })));
    const { rows: lines } = groupTable('', '', wide.rows, wide.scores, seededRandom(1), () => 1);
    expect(lines[0]?.at(-1)).to.equal('');
  });
});

describe('reportCells', () => {
  it('has one cell for each instrument and horizon, with the names of the instruments', () => {
    const cells = reportCells(rows, scores, ['zero']);
    expect(cells.map(({ instrument, horizonS }) => [instrument, horizonS])).to.deep.equal([
      ['zero', 60],
      ['', 5],
      ['', 60],
    ].filter(([name, horizonS]) => MANY.some((row) => row.instrument === (name === 'zero' ? 0 : 1) && row.horizonS === horizonS))); // prettier-ignore
    for (const { instrument, horizonS, n, baseRate, candidate, ewma, served, counts } of cells) {
      const members = entriesOf(
        scores,
        (row) => rows.instrument[row] === (instrument === 'zero' ? 0 : 1) && rows.horizonS[row] === horizonS,
      );
      const positives = members.filter((at) => rows.move[at] > 1).length;
      expect([n, baseRate]).to.deep.equal([members.length, positives / members.length]);
      [candidate, ewma, served].forEach((value, i) => {
        const expected = aucOf([scores.candidate, scores.ewma, scores.served!][i], members);
        if (Number.isNaN(expected)) expect(value).to.be.NaN;
        else expect(value).to.be.closeTo(expected, 1e-12);
      });
      expect(counts).to.equal(boundScores(rows, scores, 'ewma', members).countedCells > 0);
    }
    expect(reportCells(rows, { ...scores, served: null }, ['zero']).map(({ served }) => served)).to.deep.equal(cells.map(() => null));
  });

  it('counts a cell with enough opportunities and enough other rows', () => {
    const cellOf = (opportunities: number, others: number) => {
      const list = Array.from({ length: opportunities + others }, (_, i): HandRow => ({
        move: i < opportunities ? 2 : 0,
        candidate: i / 1000,
      }));
      const hand = handRows(list);
      return reportCells(hand.rows, hand.scores, ['a'])[0]?.counts;
    };
    expect([cellOf(400, 400), cellOf(1, 400), cellOf(400, 1)]).to.deep.equal([true, false, false]);
  });
});

describe('reliabilityBins', () => {
  it('are of equal mass in the order of the probability', () => {
    const p = Float64Array.of(0.9, 0.1, 0.5, 0.3, 0.7);
    const y = Uint8Array.of(1, 0, 1, 0, 0);
    expect(reliabilityBins(p, y, 2)).to.deep.equal([
      { p: (0.1 + 0.3) / 2, rate: 0, low: wilsonInterval(0, 2)[0], high: wilsonInterval(0, 2)[1], n: 2 },
      { p: (0.5 + 0.7 + 0.9) / 3, rate: 2 / 3, low: wilsonInterval(2, 3)[0], high: wilsonInterval(2, 3)[1], n: 3 },
    ]);
  });

  it('leave out bins without a row', () => {
    const bins = reliabilityBins(Float64Array.of(0.2, 0.4), Uint8Array.of(0, 1), 10);
    expect(bins.map(({ p, n }) => [p, n])).to.deep.equal([[0.2, 1], [0.4, 1]]); // prettier-ignore
    expect(reliabilityBins(Float64Array.of(), Uint8Array.of())).to.deep.equal([]);
  });
});

describe('precisionCurve', () => {
  it('goes from the 20 most probable rows to all', () => {
    // The 30 most probable of 100 rows are hits.
    const p = Float64Array.from({ length: 100 }, (_, i) => ((i * 37) % 100) / 100);
    const y = Uint8Array.from(p, (value) => (value >= 0.7 ? 1 : 0));
    const { name, points } = precisionCurve('mine', p, y);
    expect(name).to.equal('mine');
    expect([points[0], points.at(-1)]).to.deep.equal([{ coverage: 0.2, precision: 1 }, { coverage: 1, precision: 0.3 }]); // prettier-ignore
    expect(points.length).to.be.within(40, 61);
    points.forEach(({ coverage, precision }, i) => {
      const count = Math.round(100 * coverage);
      expect(precision).to.be.closeTo(Math.min(30, count) / count, 1e-12);
      expect(coverage).to.be.greaterThan(points[i - 1]?.coverage ?? 0);
    });
  });

  it('of fewer than 20 rows is one point, and of none nothing', () => {
    expect(precisionCurve('a', Float64Array.of(0.1, 0.2, 0.3), Uint8Array.of(0, 1, 1)).points).to.deep.equal([{ coverage: 1, precision: 2 / 3 }]); // prettier-ignore
    expect(precisionCurve('a', Float64Array.of(), Uint8Array.of()).points).to.deep.equal([]);
  });
});

describe('tableText', () => {
  it('is Markdown: title, rows, notes, and nothing for what is empty', () => {
    expect(tableText({ title: 'T', about: 'Notes.', head: ['a', 'b'], rows: [['1', '2']] })).to.equal('**T**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nNotes.'); // prettier-ignore
    expect(tableText({ title: 'T', about: '', head: ['a'], rows: [] })).to.equal('**T**');
  });
});
