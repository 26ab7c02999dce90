import type { Ask } from '../Ask.ts';
import { bpsText, countText, percentText, significant } from '../answer/describeAnswer.ts';
import { button, byId, element, showText, tableOf } from '../dom/element.ts';
import type { FigureRow } from '../answer/figures.ts';
import { renderFigures } from '../answer/renderFigures.ts';
import { CUT_HEAD, cutCells, paidText, payoffCells, PAYOFF_HEAD, payoffLines, wishText } from '../../engine/scoring/payoffWords.ts';
import { type BrierSkill, skillSentence, skillText } from '../../engine/scoring/brierSkill.ts';
import { RIVAL_NAMES, RIVALS, concludedOf } from '../../engine/scoring/conclusions.ts';
import { readCurve, thresholdCurve, type CalibrationBin, type Part, type Ranked } from './curves.ts';
import { drawCalibration, drawThreshold, drawTime, intervalText, rateText, type Plot } from './drawCurves.ts';
import { clearingText, lastSpreadBps, type LeadRow, leadText, thresholdName, LEAD_HEAD, leadCells } from './leadTable.ts';
import type { NoLead } from './leadPlans.ts';
import type { ReplayRecord } from './replayRecord.ts';
import type { ReplayResults } from './replayResults.ts';
import type { FormOptions } from '../FormOptions.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';

const LEFT: Readonly<Record<string, string>> = {
  file_ends: 'the file ends before the future time',
  market_paused: 'the market paused',
  level_changed: 'the price went to another level in one step',
  no_threshold: 'no threshold could be computed',
  trained_on: 'the version was trained on them',
  refused: 'the service refused them',
};

/** Below this many windows a fraction says next to nothing. */
const FEW_WINDOWS = 100;

type Asked = Pick<Ask, 'source' | 'horizonMs' | 'options'>;

/** The results of a replay: figures next to their baselines, and three plots, each with its table. */
export class ReplayView {
  readonly #slider = byId('replay-threshold', HTMLInputElement);
  readonly #told = byId('replay-at', HTMLElement);
  /** Whether the user has moved the slider: until then it stands where marks begin. */
  #isMoved = false;
  #drawing: symbol | undefined;
  #ranked: Ranked | undefined;
  #cursor: (threshold: number) => void = () => {};
  readonly #onUse: (row: LeadRow) => void;
  #results: ReplayResults | undefined;
  #ask: Asked | undefined;
  /** Of other horizons and thresholds than those of the form. */
  #others: readonly LeadRow[] = [];
  #without: readonly NoLead[] = [];

  /** `onUse`: the horizon of a row is wanted. */
  constructor(onUse: (row: LeadRow) => void) {
    this.#onUse = onUse;
    this.#slider.addEventListener('input', () => {
      this.#isMoved = true;
      this.#readCurve();
    });
  }

  /** Another replay, of which there is nothing yet. */
  begin(ask: Asked): void {
    this.#ask = ask;
    this.#results = undefined;
    this.#others = this.#without = [];
    byId('replay', HTMLElement).hidden = true;
  }

  addLead(rows: readonly LeadRow[], without: readonly NoLead[]): void {
    this.#others = [...this.#others, ...rows];
    this.#without = [...this.#without, ...without];
    this.#lead();
  }

  /** Draws part by part, so that no task of the page takes long. `otherName`: the second version, if two are compared. */
  show(results: ReplayResults, otherName: string | null): void {
    const { options, source } = this.#ask!;
    this.#results = results;
    const { record, parts, ranked, calibration } = results;
    const steps = [
      () => this.#lead(),
      () => this.#words(results, otherName),
      () => showPaid(results.paid, options.minMoveBps !== undefined, lastSpreadBps(source.series)),
      () => showPlot('time', parts.length === 0 ? null : drawTime(parts), timeTable(parts)),
      () => this.#threshold(ranked, record),
      () => showPlot('calibration', calibration.length === 0 ? null : drawCalibration(calibration), calibrationTable(calibration)),
    ];
    const drawing = Symbol('drawing');
    this.#drawing = drawing;
    const next = (): void => {
      if (this.#drawing !== drawing) return;
      steps.shift()?.();
      if (steps.length > 0) setTimeout(next);
    };
    next();
  }

  /** Every horizon and threshold that was replayed so far, in one table, and what it says. */
  #lead(): void {
    if (this.#results === undefined) return;
    const { record, lead } = this.#results;
    const { options, source, horizonMs } = this.#ask!;
    const { minMoveBps } = options;
    const isUsual = ({ name }: LeadRow): boolean => name === thresholdName(undefined);
    const rows = [...lead, ...this.#others].sort((a, b) => a.horizonMs - b.horizonMs || Number(isUsual(b)) - Number(isUsual(a)));
    byId('replay', HTMLElement).hidden = rows.every(({ windows }) => windows === 0);
    byId('replay-lead-rows', HTMLElement).replaceChildren(...renderLead(rows, this.#without, horizonMs, this.#onUse));
    byId('replay-conclusion', HTMLElement).textContent = [
      clearingText(rows, typeof minMoveBps === 'number' ? minMoveBps : null, source.series),
      leadText(rows),
      ...skillSentences(record, horizonMs),
    ].join(' ');
  }

  #words({ record, other }: ReplayResults, otherName: string | null): void {
    renderFigures(byId('replay-figures', HTMLElement), figuresOf(record, other?.record ?? null));
    byId('replay-notes', HTMLElement).replaceChildren(...notesOf(record).map((text) => element('li', {}, text)));
    showText('replay-compared', other && comparedText(other.compared, otherName ?? 'the other version'));
  }

  #threshold(ranked: Ranked, { baseRate, decision }: ReplayRecord): void {
    const points = thresholdCurve(ranked);
    this.#ranked = ranked;
    const plot = points.length > 1 ? drawThreshold(points, baseRate.share, decision) : null;
    const step = Math.max(1, Math.floor(points.length / 12));
    showPlot('curve', plot, {
      head: ['Marked from', 'Precision', 'Coverage'],
      rows: points
        .filter((_, i) => i % step === 0)
        .map(({ threshold, precision, coverage }) => [percentText(threshold), rateText(precision), percentText(coverage)]),
    });
    this.#slider.disabled = plot === null;
    if (plot === null) return;
    const [low, high] = [points[0].threshold, points.at(-1)!.threshold];
    this.#slider.min = String(low);
    this.#slider.max = String(Math.max(high, decision ?? 0));
    if (!this.#isMoved) this.#slider.value = String(decision ?? (low + high) / 2);
    const line = plot.upright('cursor', Math.min(high, Number(this.#slider.value)));
    this.#cursor = (threshold) => plot.move(line, Math.min(high, threshold));
    this.#readCurve();
  }

  #readCurve(): void {
    if (this.#ranked === undefined) return;
    const threshold = Number(this.#slider.value);
    this.#cursor(threshold);
    const { precision, coverage } = readCurve(this.#ranked, threshold);
    const moved =
      precision.of === 0
        ? ''
        : `, of which ${percentText(precision.share)} moved over the threshold (90 % interval ${intervalText(precision.interval90)})`;
    this.#told.textContent = `Marked from ${percentText(threshold)}: ${countText(precision.of, 'window')} (${percentText(coverage)})${moved}.`;
    this.#slider.setAttribute('aria-valuetext', percentText(threshold));
  }
}

/** Whether trades would have paid, and which smallest probability a wish needs. */
function showPaid(paid: ReplayResults['paid'], isOwn: boolean, spreadBps?: number): void {
  byId('replay-paid', HTMLElement).hidden = byId('replay-paid-text', HTMLElement).hidden = paid === null;
  if (paid === null) return;
  const { table, proposals } = paid;
  byId('replay-paid-text', HTMLElement).textContent = paidText(table, isOwn, spreadBps);
  showTable('replay-paid-table', { head: PAYOFF_HEAD, rows: payoffLines(table).map(([name, payoff]) => [name, ...payoffCells(payoff)]) });
  showTable('replay-cuts-table', { head: CUT_HEAD, rows: table.cuts.map(cutCells) });
  byId('replay-wishes', HTMLElement).replaceChildren(...proposals.map(([wish, line]) => element('li', {}, wishText(wish, line))));
}

type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const timeTable = (parts: readonly Part[]): Table => ({
  head: ['From', 'Base rate', 'Marks that came true'],
  rows: parts.map(({ fromUs, baseRate, hits }) => [writeTimestamp(fromUs).slice(0, 16), rateText(baseRate), rateText(hits)]),
});

const calibrationTable = (bins: readonly CalibrationBin[]): Table => ({
  head: ['Probability', 'Moved', 'Windows'],
  rows: bins.map(({ mean, observed }) => [
    percentText(mean),
    `${percentText(observed.share)} (${intervalText(observed.interval90)})`,
    String(observed.of),
  ]),
});

function showPlot(id: string, plot: Plot | null, table: Table): void {
  const box = byId(`replay-${id}`, HTMLElement);
  box.closest('figure')!.hidden = plot === null;
  box.replaceChildren(...(plot === null ? [] : [plot.svg]));
  showTable(`replay-${id}-table`, table);
}

function showTable(id: string, { head, rows }: Table): void {
  const box = byId(id, HTMLElement);
  const columns = head.map((name) => [name] as const);
  box.replaceChildren(tableOf(box.ariaLabel ?? '', columns, rows));
}

/** What the windows of the form say of the probabilities, and only that. */
function skillSentences({ counted, skill }: ReplayRecord, horizonMs: number): readonly string[] {
  if (counted < FEW_WINDOWS)
    return [`At ${formatSpan(horizonMs)}, only ${countText(counted, 'window')} with a known outcome: too few to be meaningful.`];
  return skill === null ? [] : [`At ${formatSpan(horizonMs)}: ${skillSentence(skill)}`];
}

function figuresOf(record: ReplayRecord, other: ReplayRecord | null): FigureRow[] {
  const { counted, marked, hits, baseRate, skill } = record;
  const also = (text: (record: ReplayRecord) => string): string => (other === null ? '' : `; the other ${text(other)}`);
  const percent = (value: number): string => (Number.isNaN(value) ? '–' : percentText(value));
  const rows: FigureRow[] = [
    [
      'Marks that came true',
      percent(hits.share),
      `${hits.count} of ${hits.of}, 90 % interval ${hits.of === 0 ? '–' : intervalText(hits.interval90)}${also((o) => percent(o.hits.share))}`,
    ],
    ['Base rate', percent(baseRate.share), `of all windows, ${baseRate.count} moved over the threshold`],
    ['Marked', percent(marked.share), `${marked.count} of ${countText(counted, 'window')}${also((o) => percent(o.marked.share))}`],
  ];
  if (skill === null) return rows;
  return [
    ...rows,
    ['Brier score', skill.baseline.model.toFixed(4), `smaller is better${also((o) => o.skill?.baseline.model.toFixed(4) ?? '–')}`],
    ...RIVALS.map((rival): FigureRow => {
      const name = RIVAL_NAMES[rival];
      return [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, skill[rival].rival.toFixed(4), `skill over it ${skillText(skill[rival])}`];
    }),
  ];
}

function comparedText(skill: BrierSkill | null, name: string): string {
  if (skill === null) return 'No window was answered by both versions.';
  const { model, rival, windows, skillInterval95: interval } = skill;
  const told = `Brier score ${model.toFixed(4)} against ${rival.toFixed(4)} of ${name} on ${countText(windows, 'window')}: skill ${skillText(skill)}`;
  if (interval === null) return `${told}.`;
  return `${told}: ${{ better: 'better', worse: 'worse', too_few: 'no clear difference' }[concludedOf(interval)]}.`;
}

/** Windows that do not count, and why windows were not marked. */
function notesOf({ windows, counted, left, nulls }: ReplayRecord): string[] {
  const notes = Object.entries(left).map(([why, count]) => `${countText(count, 'window')} of ${windows} not counted: ${LEFT[why] ?? why}.`);
  const top = nulls.slice(0, 3).map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${percentText(count / counted)}`);
  if (top.length > 0) notes.push(`Not marked because: ${top.join(', ')}.`);
  return notes;
}

export function moveText(minMoveBps: FormOptions['minMoveBps']): string {
  if (minMoveBps === 'cost') return 'the spread of each window as the threshold';
  return minMoveBps === undefined ? 'the threshold of each window' : `a threshold of ${bpsText(minMoveBps)}`;
}
export const rateOfWork = (windows: number, seconds: number): string => `${significant(windows / Math.max(seconds, 0.001), 2)} a second`;

/** Of each cell after the horizon, how wide it is on a phone. */
const CELLS = ['wide', null, 'two', null, 'two'] as const;

/** The rows of the table, then the horizons without one. Other horizons than that of the form have a button that chooses them. */
function renderLead(
  rows: readonly LeadRow[],
  without: readonly NoLead[],
  formMs: number,
  onUse: (row: LeadRow) => void,
): readonly HTMLElement[] {
  const known = rows.filter(({ windows }) => windows > 0);
  const unknown = [...new Set(rows.filter((row) => !known.includes(row)).map(({ horizonMs }) => horizonMs))];
  const why = [...without, ...unknown.map((horizonMs) => ({ horizonMs, noWindow: 'no window has a known outcome' }))];
  const use = (row: LeadRow): HTMLElement =>
    button('Use', () => onUse(row), { 'aria-label': `Use ${formatSpan(row.horizonMs)}`, title: `Windows of ${row.ticks}` });
  return [
    ...known.map((row, at) => {
      const [first = '', ...cells] = leadCells(row);
      const hasButton = row.horizonMs !== formMs && known[at - 1]?.horizonMs !== row.horizonMs;
      return element(
        'tr',
        {},
        element('th', { scope: 'row', class: 'two' }, first),
        element('td', { class: 'action' }, hasButton ? use(row) : ''),
        ...cells.map((cell, i) => element('td', { 'data-name': LEAD_HEAD[i + 1], class: CELLS[i] }, cell)),
      );
    }),
    ...why
      .sort((a, b) => a.horizonMs - b.horizonMs)
      .map(({ horizonMs, noWindow }) => {
        const head = element('th', { scope: 'row' }, formatSpan(horizonMs));
        return element('tr', {}, head, element('td', { colspan: LEAD_HEAD.length }, `Not useful: ${noWindow}.`));
      }),
  ];
}
