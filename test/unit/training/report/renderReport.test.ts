import { expect } from 'chai';
import fc from 'fast-check';
import type { ReportData } from '../../../../training/report/ReportData.ts';
import { renderReport } from '../../../../training/report/renderReport.ts';
import { readHtml } from '../../../support/readHtml.ts';
import { sampleReport } from '../../../support/sampleReport.ts';

const HOSTILE = `"><img src=x onerror='alert(1)'>&amp;<script>x</script>`;
const KNOWN_TAGS = new Set(
  'html head meta title style body main header section footer h1 h2 h3 p b ul li span code pre details summary div table thead tbody tr th td figure figcaption svg desc g path circle text'.split(
    ' ',
  ),
);
/** Digits and the letters of paths: neither NaN nor Infinity, and no exponent. */
const COORDINATES = /^[-\d. MLHVhvlz]*$/;
const DRAWN = ['d', 'x', 'y', 'cx', 'cy', 'r', 'width', 'height', 'viewBox'];

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom(HOSTILE, '', '\ud800', '\u202eabc', 'fx-eurusd'));
const texts = fc.array(text, { maxLength: 3 });
const number = fc.oneof(fc.double(), fc.double({ min: 0, max: 1 }), fc.constantFrom(NaN, Infinity, -Infinity, 0, -0, 1e308, 5e-324));
const step = fc.record({ step: number, loss: number });
const reportData: fc.Arbitrary<ReportData> = fc.record({
  id: text,
  createdAt: text,
  kind: fc.constantFrom('base', 'fine_tune', 'evaluation'),
  synthetic: fc.boolean(),
  command: text,
  verdict: fc.option(
    fc.record({
      passed: fc.boolean(),
      headline: text,
      checks: fc.array(fc.record({ holds: fc.boolean(), text }), { maxLength: 3 }),
      advice: texts,
    }),
  ),
  nextSteps: texts,
  setting: texts,
  tables: fc.array(fc.record({ title: text, about: text, head: texts, rows: fc.array(texts, { maxLength: 3 }) }), { maxLength: 2 }),
  curves: fc.array(
    fc.record({ name: text, training: fc.array(step, { maxLength: 6 }), validation: fc.array(step, { maxLength: 4 }), bestStep: number }),
    { maxLength: 8 },
  ),
  reliability: fc.array(
    fc.record({
      name: text,
      bins: fc.array(fc.record({ p: number, rate: number, low: number, high: number, n: number }), { maxLength: 5 }),
    }),
    { maxLength: 5 },
  ),
  precision: fc.array(fc.record({ name: text, points: fc.array(fc.record({ coverage: number, precision: number }), { maxLength: 5 }) }), {
    maxLength: 5,
  }),
  baseRate: number,
  cells: fc.array(
    fc.record({
      ...{ instrument: text, horizonS: number, n: number, baseRate: number, candidate: number, ewma: number },
      ...{ served: fc.option(number), counts: fc.boolean() },
    }),
    { maxLength: 6 },
  ),
  drift: fc.array(fc.record({ column: text, trainMean: number, testMean: number, trainStd: number, psi: number }), { maxLength: 20 }),
  notes: texts,
});

describe('renderReport', () => {
  it('has no external references and no script', () => {
    const html = renderReport(sampleReport());
    expect(html.replaceAll('http-equiv', '')).not.to.match(/https?:|http|src=|href=|url\(|@import|<script|\son\w+=/i);
    expect(html).to.contain('default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;');
  });

  it('escapes every text of the data', () => {
    const report = sampleReport();
    const [cell] = report.cells;
    const [curve] = report.curves;
    if (cell === undefined || curve === undefined) throw new Error('the sample has cells and curves');
    const html = renderReport({
      ...report,
      ...{ id: HOSTILE, createdAt: HOSTILE, command: HOSTILE, nextSteps: [HOSTILE], setting: [HOSTILE], notes: [HOSTILE] },
      verdict: { passed: false, headline: HOSTILE, checks: [{ holds: true, text: HOSTILE }], advice: [HOSTILE] },
      tables: [{ title: HOSTILE, about: HOSTILE, head: [HOSTILE], rows: [[HOSTILE, HOSTILE]] }],
      curves: [{ ...curve, name: HOSTILE }],
      reliability: report.reliability.map((one) => ({ ...one, name: HOSTILE })),
      precision: report.precision.map((one) => ({ ...one, name: HOSTILE })),
      cells: [{ ...cell, instrument: HOSTILE }],
      drift: report.drift.map((one) => ({ ...one, column: HOSTILE })),
    });
    expect(html).not.to.match(/<img|<script|alert\(1\)'/);
    expect(readHtml(html).filter(({ name }) => !KNOWN_TAGS.has(name))).to.deep.equal([]);
  });

  it('is well formed and draws only finite numbers for any data', () => {
    fc.assert(
      fc.property(reportData, (data) => {
        const html = renderReport(data);
        const tags = readHtml(html);
        const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? []);
        const repeated = ids.filter((id, i) => ids.indexOf(id) !== i);
        const unknown = tags.filter(({ name }) => !KNOWN_TAGS.has(name));
        const unfit = tags.flatMap(({ name, attributes }) =>
          name === 'meta' ? [] : DRAWN.filter((key) => !COORDINATES.test(attributes.get(key) ?? '')).map((key) => attributes.get(key)),
        );
        expect([...repeated, ...unknown, ...unfit]).to.deep.equal([]);
      }),
      { numRuns: 50 },
    );
  });

  it('names and describes every chart for screen readers', () => {
    const tags = readHtml(renderReport(sampleReport()));
    const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? []);
    const charts = tags.filter(({ attributes }) => attributes.get('class') === 'chart');
    expect(charts).to.have.length(3);
    for (const { attributes } of charts) {
      expect(attributes.get('role')).to.equal('img');
      expect(ids).to.include.members(attributes.get('aria-labelledby')?.split(' ') ?? ['no label']);
    }
  });

  it('is the same text for the same data', () => {
    expect(renderReport(sampleReport())).to.equal(renderReport(sampleReport()));
  });

  it('states the decision first, in words', () => {
    const failed = renderReport(sampleReport());
    expect(failed).to.contain('✗ Not passed');
    expect(failed.indexOf('Not better than the base')).to.be.below(failed.indexOf('Against EWMA'));
    const passed = { passed: true, headline: 'Better.', checks: [], advice: [] };
    expect(renderReport(sampleReport({ verdict: passed }))).to.contain('✓ Passed');
    const evaluation = renderReport(sampleReport({ verdict: null, kind: 'evaluation' }));
    expect(evaluation)
      .to.contain('No decision')
      .and.not.to.match(/✓ Passed|✗ Not passed/);
  });

  it('has the note on generated ticks only for generated ticks', () => {
    const sentence = 'a demonstration, not a model of any market';
    expect(renderReport(sampleReport({ synthetic: true }))).to.contain(sentence);
    expect(renderReport(sampleReport())).not.to.contain(sentence);
  });

  it('handles data with nothing to draw', () => {
    const html = renderReport(
      sampleReport({
        verdict: null,
        nextSteps: [],
        setting: [],
        tables: [],
        curves: [],
        reliability: [],
        precision: [],
        cells: [],
        drift: [],
      }),
    );
    expect(readHtml(html).some(({ attributes }) => attributes.get('class') === 'chart')).to.equal(false);
    expect(html).to.contain('No cell was evaluated.').and.to.contain('No inputs were compared.');
  });
});
