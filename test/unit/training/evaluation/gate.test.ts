import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { decideGate, type GateInput } from '../../../../training/evaluation/gate.ts';
import { comparePaired, type PairedComparison } from '../../../../training/metrics/comparePaired.ts';
import { sigmoid } from '../../../../training/metrics/logistic.ts';

/** A candidate with skill `own` compared with a base with skill `rival`, in `clusters` clusters of 100 rows. */
function compare(own: number, rival: number, { clusters = 60, sharpness = 1 } = {}): PairedComparison {
  const random = seededRandom(3);
  const n = clusters * 100;
  const truth = Float64Array.from({ length: n }, () => random.normal());
  const y = Uint8Array.from(truth, (t) => (random.uniform() < sigmoid(1.5 * t - 1.2) ? 1 : 0));
  const noise = Float64Array.from({ length: n }, () => random.normal());
  const guess = (skill: number): Float64Array => truth.map((t, i) => sigmoid(sharpness * 1.5 * (skill * t + (1 - skill) * noise[i]) - 1.2));
  const numbered = (size: number): Int32Array => Int32Array.from({ length: n }, (_, i) => Math.floor(i / size));
  const columns = { cluster: numbered(100), cell: numbered(1000), day: numbered(n), absMove: truth.map(Math.abs) };
  return comparePaired({ p: guess(own), pBase: guess(rival), y, ...columns }, { random, draws: 60 });
}

const better = compare(1, 0.7);
const worse = compare(0.7, 1);
const given: GateInput = {
  id: 'mine-1',
  against: 'base-1',
  baselines: { baseline: better, base_rate: better },
  served: better,
  marks: { windows: 6000, marks: 600, precision: 0.32, baseRate: 0.2, overBaseRate: 1.6, overOwnRates: 1.6 },
  leak: { checked: 200, leaking: [] },
  placebos: [{ name: 'Permuted outcomes', holds: true, text: 'AUC 0.502.' }],
  origins: 6000,
  seen: 0,
  what: 'h3m, horizons 30 to 180 s',
};

describe('promotion gate', () => {
  it('passes a version that is better than the baseline and than the version it replaces', () => {
    const { passed, tooLittle, headline, advice } = decideGate(given);
    expect({ passed, tooLittle, advice }).to.deep.equal({ passed: true, tooLittle: false, advice: [] });
    expect(headline).to.equal('mine-1 is better than base-1 as served, on 6000 origins that it never saw.');
  });

  const failures: [string, Partial<GateInput>, RegExp][] = [
    [
      'is worse than one baseline',
      { baselines: { baseline: worse, base_rate: better } },
      /AUC over all origins against the recalibrated volatility baseline: −/,
    ],
    ['is worse than the other baseline', { baselines: { baseline: better, base_rate: worse } }, /against the base rate so far: −/],
    [
      'marks more than chose its cuts',
      { marks: { ...given.marks!, overOwnRates: 1.4999 } },
      /^Marks: 10\.0 % of the windows, precision 0\.320, 1\.50 times/,
    ],
    ['is worse than the version it would replace', { served: worse }, /against base-1: −/],
    [
      'has an input that uses later ticks',
      { leak: { checked: 200, leaking: ['log_sigma'] } },
      /depend on ticks after their origin: log_sigma/,
    ],
    ['was not checked for leaks', { leak: { checked: 0, leaking: [] } }, /0 windows/],
    ['fails a placebo', { placebos: [{ name: 'Permuted outcomes', holds: false, text: 'AUC 0.6.' }] }, /Permuted outcomes: AUC 0\.6/],
    [
      'is the same as the version it would replace',
      { served: compare(1, 1) },
      /Brier skill against base-1: 0\.0000, lower 90 % bound 0\.0000; it must be above 0/,
    ],
  ];
  for (const [what, change, reason] of failures)
    it(`rejects a version that ${what}, keeps the old one and gives reasons and suggestions`, () => {
      const { passed, headline, checks, advice } = decideGate({ ...given, ...change });
      expect(passed).to.equal(false);
      expect(headline).to.equal('Not better, kept base-1.');
      expect(checks[0].holds).to.equal(false);
      expect(
        checks
          .filter(({ holds }) => !holds)
          .map(({ text }) => text)
          .join('\n'),
      ).to.match(reason);
      expect(advice.join(' ')).to.match(/instruments/);
    });

  /** Each limit of the gate, a value that just passes, and one that just fails. */
  const { intervals } = better;
  const limits: [what: string, passes: number, fails: number, of: (value: number) => PairedComparison, text: RegExp][] = [
    [
      'the lower bound of the pooled AUC difference',
      -0.002 + 1e-9,
      -0.002,
      (lower90OneSided) => ({ ...better, intervals: { ...intervals, aucDifference: { ...intervals.aucDifference, lower90OneSided } } }),
      /^AUC over all origins/,
    ],
    [
      'the lower bound of the cell AUC difference',
      -0.002 + 1e-9,
      -0.002,
      (lower90OneSided) => ({
        ...better,
        intervals: { ...intervals, cellAucDifference: { ...intervals.cellAucDifference, lower90OneSided } },
      }),
      /^AUC, mean of/,
    ],
    [
      'the lower bound of the Brier skill by hour',
      1e-9,
      0,
      (lower90OneSided) => ({ ...better, intervals: { ...intervals, brierSkill: { ...intervals.brierSkill, lower90OneSided } } }),
      /^Brier skill/,
    ],
    [
      'the lower bound of the Brier skill by day',
      1e-9,
      0,
      (lower90OneSided) => ({ ...better, dayIntervals: { ...intervals, brierSkill: { ...intervals.brierSkill, lower90OneSided } } }),
      /^Brier skill/,
    ],
    [
      'the calibration error',
      0.125,
      0.125 + 1e-9,
      (model) => ({ ...better, expectedEce: 0.1, ece: { ...better.ece, model } }),
      /^Calibration error/,
    ],
    ['the number of clusters', 30, 29, (clusters) => ({ ...better, clusters }), /clusters of/],
  ];
  for (const [what, passes, fails, of, text] of limits)
    it(`has a limit for ${what}: ${passes} passes, ${fails} fails`, () => {
      expect(
        decideGate({ ...given, baselines: { baseline: of(passes), base_rate: better } }).checks.filter(({ holds }) => !holds),
      ).to.deep.equal([]);
      const failed = decideGate({ ...given, baselines: { baseline: of(fails), base_rate: better } }).checks.filter(({ holds }) => !holds);
      expect(failed).to.have.length(1);
      expect(failed[0].text).to.match(text);
    });

  it('rejects badly calibrated probabilities although their order is right', () => {
    const sure = compare(1, 0.7, { sharpness: 4 });
    const { passed, checks } = decideGate({ ...given, baselines: { baseline: sure, base_rate: better } });
    expect(passed).to.equal(false);
    expect(checks.some(({ holds, text }) => !holds && text.startsWith('Calibration error'))).to.equal(true);
  });

  it('does not refuse a cut for a few marks', () => {
    const few = { ...given.marks!, marks: 49, overOwnRates: 0.5 };
    expect(decideGate({ ...given, marks: few }).passed).to.equal(true);
    expect(decideGate({ ...given, marks: { ...few, marks: 50 } }).passed).to.equal(false);
    expect(decideGate({ ...given, marks: null }).passed).to.equal(true);
  });

  it('reports too little data below 30 clusters, and how much more is needed', () => {
    const few = compare(1, 0.7, { clusters: 12 });
    const { passed, tooLittle, headline, advice } = decideGate({
      ...given,
      baselines: { baseline: few, base_rate: few },
      served: few,
      seen: 2500,
    });
    expect({ passed, tooLittle }).to.deep.equal({ passed: false, tooLittle: true });
    expect(headline).to.equal('Too little data to tell whether mine-1 is better: kept base-1.');
    expect(advice).to.deep.equal([
      '2500 of 6000 test origins are in ticks that base-1 was trained on and do not count. Add later days or other instruments.',
      'Add days: about 5 times as many hours of ticks after the cut are needed for a decision.',
    ]);
  });
});
