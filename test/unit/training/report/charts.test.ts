import { expect } from 'chai';
import fc from 'fast-check';
import { cellSection, driftSection, EWMA_STYLE, seriesStyles, trainingSection } from '../../../../training/report/chartSections.ts';
import { domainOf, drawPlot, linearScale, niceDomain, niceTicks } from '../../../../training/report/drawPlot.ts';
import { formatDifference, formatFigure, formatHorizon, formatPercent } from '../../../../training/report/formatFigure.ts';
import { readHtml } from '../../../support/readHtml.ts';
import { sampleReport } from '../../../support/sampleReport.ts';

const count = (html: string, part: string): number => html.split(part).length - 1;

describe('axes of the report', () => {
  it('have few round ticks inside the domain, which niceDomain widens to whole ticks', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: -1e6, max: 1e6, noNaN: true }), (a, b) => {
        const domain = domainOf([a, b]);
        if (domain === undefined) throw new Error('two finite values have a domain');
        const { values, step } = niceTicks(domain);
        const [low, high] = niceDomain(domain);
        const near = step * 1e-6;
        const isInside = values.every((value) => value >= domain[0] - near && value <= domain[1] + near);
        return values.length >= 2 && values.length <= 8 && isInside && low <= domain[0] + near && high >= domain[1] - near;
      }),
    );
    expect(niceTicks([0, 1])).to.deep.equal({ values: [0, 0.2, 0.4, 0.6, 0.8, 1], step: 0.2, digits: 1 });
  });

  it('have no domain without a value that can be drawn, and clamp values outside of it', () => {
    expect(domainOf([NaN, Infinity, 1e300])).to.equal(undefined);
    expect(linearScale([0, 1], 10, 20)(7)).to.equal(20);
    expect(linearScale([0, 1], 10, 20)(0.5)).to.equal(15);
  });
});

describe('figures of the report', () => {
  it('have a real minus, units, and signs for values that are not finite', () => {
    expect(formatFigure(-1234.5, 1)).to.equal('−1,234.5');
    expect(formatFigure(-0.0001, 2)).to.equal('0.00');
    expect([NaN, Infinity, -Infinity].map((value) => formatFigure(value, 2))).to.deep.equal(['–', '∞', '−∞']);
    expect(formatDifference(0.0123, 3)).to.equal('+0.012');
    expect(formatPercent(0.178, 1)).to.equal('17.8 %');
    expect([10, 300, 1800].map(formatHorizon)).to.deep.equal(['10 s', '300 s', '30 min']);
  });
});

describe('charts of the report', () => {
  it('drop points that are not finite, and show a text if none is left', () => {
    const plot = { id: 'a', title: 'a', description: 'a', x: { title: 'x' }, y: { title: 'y' } };
    const points = [1, NaN, 3, Infinity].map((y, x) => ({ x, y }));
    expect(count(drawPlot({ ...plot, series: [{ name: 'a', style: EWMA_STYLE, draw: 'line', points }] }), 'class="mark')).to.equal(2);
    expect(drawPlot({ ...plot, series: [{ name: 'a', style: EWMA_STYLE, draw: 'line', points: [{ x: 1, y: NaN }] }] })).to.contain(
      'Nothing to draw',
    );
  });

  it('draw at most 240 points of a line', () => {
    const points = Array.from({ length: 5000 }, (_, x) => ({ x, y: x % 7 }));
    const plot = { id: 'a', title: 'a', description: 'a', x: { title: 'x' }, y: { title: 'y' } };
    const svg = drawPlot({ ...plot, series: [{ name: 'a', style: EWMA_STYLE, draw: 'thin', points }] });
    expect(count(/class="thin[^>]*/.exec(svg)?.[0] ?? '', 'L')).to.equal(239);
  });

  it('give EWMA the same style at any position', () => {
    expect(seriesStyles(['mine', 'EWMA', 'base'])[1]).to.equal(EWMA_STYLE);
    expect(seriesStyles(['mine', 'base', 'EWMA logistic'])[2]).to.equal(EWMA_STYLE);
    expect(new Set(seriesStyles(['mine', 'base', 'EWMA', 'other']).map(({ mark }) => mark)).size).to.equal(4);
  });

  it('list all cells, and say how many of those that count are better', () => {
    const report = sampleReport();
    const html = cellSection(report);
    const counted = report.cells.filter(({ counts }) => counts);
    const better = counted.filter(({ candidate, ewma }) => candidate > ewma).length;
    expect(html).to.contain(`above EWMA in ${better} of the ${counted.length} cells`);
    expect([count(html, '<tr>'), count(html, '<td>too few</td>')]).to.deep.equal([4, 1]);
    const cells = report.cells.map((cell) => ({ ...cell, counts: false }));
    expect(cellSection(sampleReport({ cells }))).to.contain('treat them as noise');
  });

  it('fold all but six curves', () => {
    const html = trainingSection(sampleReport({ curves: Array.from({ length: 22 }, () => sampleReport().curves[0]) }));
    expect(count(html, '<svg class="chart"')).to.equal(22);
    expect(html).to.contain('<summary>16 more</summary>');
    expect(() => readHtml(html)).not.to.throw();
  });

  it('list all inputs, that with the largest drift first, and name those of another market', () => {
    const psis = [NaN, ...Array.from({ length: 40 }, (_, i) => i / 100)];
    const drift = psis.map((psi) => ({ column: `column_${psi}`, trainMean: 0, testMean: 0, trainStd: 1, psi }));
    const html = driftSection(sampleReport({ drift }));
    expect(html).to.contain('14 of 41 are above it (column_0.39, column_0.38, column_0.37, column_0.36, column_0.35, …)');
    expect(count(html, '<tr>')).to.equal(42);
    expect(html.lastIndexOf('column_0.38')).to.be.above(html.lastIndexOf('column_0.39'));
    expect(html.lastIndexOf('column_NaN')).to.be.above(html.lastIndexOf('column_0<'));
  });
});
