import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { readExperiment } from '../../../../src/cli/training/readExperiment.ts';
import { reportText } from '../../../../src/cli/training/trainText.ts';
import { promotionFault } from '../../../../src/engine/model/registry/promoteVersion.ts';
import { nextSteps } from '../../../../training/buildReport.ts';
import type { TrainReport } from '../../../../training/TrainOptions.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const GATE = { verdict: 'passed', against: null, summary: '' } as const;

describe('readExperiment', () => {
  let folder: string;
  const file = (text: string): string => {
    const name = path.join(folder, 'mine.yaml');
    writeFileSync(name, text);
    return name;
  };
  beforeEach(() => (folder = temporaryFolder()));

  it('reads YAML and JSON alike, paths from the file’s own folder', () => {
    const yaml =
      'data: [ticks/a.csv, /other/b.csv]\nhorizon: 60s\nname: mine-1\ngroups: { eurusd: [a, b] }\nepochs: 4\ncolumns: { time: When, price: Last }\n';
    const expected = {
      data: [path.join(folder, 'ticks/a.csv'), '/other/b.csv'],
      horizon: '60s',
      name: 'mine-1',
      groups: { eurusd: ['a', 'b'] },
      epochs: 4,
      columns: { time: 'When', price: 'Last' },
    };
    expect(readExperiment(file(yaml))).to.deep.equal(expected);
    expect(readExperiment(file(JSON.stringify({ ...expected, data: ['ticks/a.csv', '/other/b.csv'] })))).to.deep.equal(expected);
  });

  const faults: [string, string, RegExp][] = [
    ['a misspelt setting', 'horizn: 60s', /\/ has the unknown setting "horizn"; did you mean horizon\?/],
    ['a value of the wrong kind', 'epochs: many', /\/epochs must be integer, and here it is "many"/],
    ['a value out of its range', 'seeds: 21', /\/seeds must be <= 20, and here it is 21/],
    [
      'a name that is none of those known',
      'preset: scalping',
      /\/preset must be equal to one of the allowed values \(scalp, intraday, swing\)/,
    ],
    ['a key named twice', 'seed: 1\nseed: 2', /line 2: Map keys must be unique/],
    ['text that is no YAML', 'data: [a', /line \d: /],
    ['no settings at all', '- a\n- b', /\/ must be object/],
    [
      'aliases that expand to gigabytes',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
        .split('')
        .map((name, i) => `${name}: &${name} [${new Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`)
        .join('\n')}`,
      /mine\.yaml is wrong: its aliases expand to more than 100 values; write them out\.$/,
    ],
    ['an alias that contains itself', '&a [*a]', /mine\.yaml is wrong: line 1: \*a stands inside the value that it names\.$/],
    ['an alias deep inside itself', 'name: x\ngroups: &all\n  eurusd: [a, [*all]]', /line 3: \*all stands inside/],
  ];
  for (const [what, text, expected] of faults)
    it(`refuses ${what}, with its place`, () => {
      expect(() => readExperiment(file(text)))
        .to.throw(expected)
        .with.property('code', 'file.malformed');
    });

  it('refuses a file that is not there, or far too large', () => {
    expect(() => readExperiment(path.join(folder, 'none.yaml')))
      .to.throw(/cannot be read/)
      .with.property('code', 'file.unreadable');
    expect(() => readExperiment(file(`name: ${'x'.repeat(1024 * 1024)}`))).to.throw(/at most 1048576/);
  });
});

describe('the text of a training run', () => {
  const COUNTS = { used: 1, data_ends: 0, session_gap: 0, level_changed: 0, no_features: 0, window_too_short: 0 };
  const report: TrainReport = {
    id: 'mine-1',
    mode: 'fine_tune',
    synthetic: false,
    folder: null,
    reportFile: 'data/training/runs/mine-1/report.html',
    sources: [],
    trainRows: 4000,
    testRows: 3000,
    ...{ trainCounts: COUNTS, testCounts: COUNTS },
    folds: ['later ticks'],
    marks: ['Marks of base-1: 10 %.', 'Marks of mine-1: 25 %.'],
    verdict: {
      passed: false,
      tooLittle: false,
      headline: 'Not better, kept base-1.',
      checks: [{ holds: false, text: 'AUC −.01.' }],
      advice: ['More days.'],
    },
    exampleHorizon: '300s',
    table: '| table |',
    seconds: 70,
  };

  it('says that the old one was kept, why, what would help and where the report is', () => {
    const text = reportText(report);
    expect(text).to.include('Not better, kept base-1.\n  fails: AUC −.01.\n  what would help: More days.\n');
    expect(text).to.include('Only the report was written: data/training/runs/mine-1/report.html');
    expect(text).to.include('With --force, the version is written anyway');
    // What a bot will do, before and after.
    expect(text.trimEnd().split('\n').slice(-2)).to.deep.equal(report.marks);
  });

  it('says where a version is, and how to try it and to serve it', () => {
    const passed = { passed: true, tooLittle: false, headline: 'mine-1 is better.', checks: [], advice: [] };
    const text = reportText({ ...report, folder: 'data/models/mine-1', verdict: passed });
    expect(text)
      .to.include('?model=mine-1')
      .and.to.include('npx tickmark models promote mine-1')
      .and.to.include('Written to data/models/mine-1');
    const generated = reportText({ ...report, synthetic: true, folder: 'data/models/mine-1', verdict: passed });
    // The sentence of promote itself.
    const fault = promotionFault({ id: 'mine-1', synthetic: true, gate: GATE }, { isShipped: false, force: true });
    expect(generated).to.include(fault).and.to.not.include('models promote mine-1');
    expect(nextSteps({ id: 'mine-1', data: [] }, true).join())
      .to.include('models show mine-1')
      .and.not.include('promote');
    expect(nextSteps({ id: 'mine-1', data: ['a.csv'] }, false).at(-1)).to.equal('npx tickmark models promote mine-1 --force');
  });
});
