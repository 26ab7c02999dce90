import { type Answered, type Ask, isSameAsk, isSameWindow } from '../Ask.ts';
import { describeAnswer, noteText, countText, percentText, outcomeText, placeText } from '../answer/describeAnswer.ts';
import { answerFigures, inputFigures, renderFigures } from '../answer/renderFigures.ts';
import { renderWaterfall } from '../answer/renderWaterfall.ts';
import { waterfallOf } from '../answer/waterfall.ts';
import type { ChartView } from '../chart/ChartView.ts';
import { rangesOf } from '../chart/ranges.ts';
import { describeChart } from '../chart/describeChart.ts';
import { PriceChart } from '../chart/PriceChart.ts';
import { byId, element } from '../dom/element.ts';
import { labelOutcome, type Outcome } from '../ticks/labelOutcome.ts';

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

/** The answer, its chart, its computation and what the service saw of the input. */
export class AnswerPanel {
  readonly #chart: PriceChart;
  readonly #reader = byId('reader', HTMLInputElement);
  readonly #readout = byId('readout', HTMLElement);

  constructor() {
    const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement);
    const [whole, zoomOut, zoomIn] = [button('zoom-whole'), button('zoom-out'), button('zoom-in')];
    this.#chart = new PriceChart({
      box: byId('chart', HTMLElement),
      onRead: (text) => (this.#readout.textContent = text === '' ? this.#lastTick : text),
      onZoom: (isZoomed) => {
        whole.hidden = !isZoomed;
        zoomOut.disabled = !isZoomed;
      },
    });
    whole.addEventListener('click', () => this.#chart.zoomOut());
    zoomOut.addEventListener('click', () => this.#chart.zoom('out'));
    zoomIn.addEventListener('click', () => this.#chart.zoom('in'));
    this.#reader.addEventListener('keydown', ({ key }) => {
      if (key === '+') this.#chart.zoom('in');
      else if (key === '-') this.#chart.zoom('out');
      else if (key === '0') this.#chart.zoomOut();
    });
    this.#reader.addEventListener('input', () => {
      const at = Number(this.#reader.value);
      this.#chart.read(at);
      this.#reader.setAttribute('aria-valuetext', this.#chart.readText(at));
      this.#readout.textContent = this.#chart.readText(at);
    });
  }

  readonly #badges = document.querySelectorAll<HTMLElement>('.badge');
  readonly #stepper = byId('stepper-text', HTMLElement);
  #hasAnswer = false;
  /** The answer in a few words. */
  #short = '';

  /** The text under the chart while the pointer is on no tick. */
  #lastTick = '';

  recolour(): void {
    this.#chart.recolour();
  }

  zoom(way: 'in' | 'out' | 'whole'): void {
    if (way === 'whole') this.#chart.zoomOut();
    else this.#chart.zoom(way);
  }

  /** The answer is of another request than the present one: it is dimmed, and a sentence says so. */
  setOld(isOld = true): void {
    byId('answer', HTMLElement).toggleAttribute('data-stale', isOld);
    byId('answer-old', HTMLElement).hidden = !isOld || !this.#hasAnswer;
  }

  /** Tells screen readers that an answer is being loaded. */
  setBusy(isBusy: boolean): void {
    byId('answer', HTMLElement).setAttribute('aria-busy', String(isBusy));
  }

  /** The outcome of a window, as far as the loaded ticks reach. */
  outcomeOf(ask: Ask, answered: Answered | undefined): Outcome {
    const gapMs = answered?.forecast.detail.input.median_gap_ms ?? null;
    return labelOutcome(ask.source.series, ask.origin, ask.horizonMs, gapMs);
  }

  /** Draws the request, and on top of it the answer if it belongs to the same ticks. */
  show(ask: Ask, answered: Answered | undefined): void {
    const isCurrent = answered !== undefined && isSameAsk(ask, answered.ask);
    const ofWindow = answered !== undefined && isSameWindow(ask, answered.ask) ? answered : undefined;
    const detail = ofWindow?.forecast.detail;
    const view: ChartView = {
      series: ask.source.series,
      from: ask.origin + 1 - ask.count,
      origin: ask.origin,
      horizonMs: ask.horizonMs,
      minMoveBps: typeof ask.minMoveBps === 'number' ? ask.minMoveBps : isCurrent ? (detail?.opportunity.min_move_bps ?? null) : null,
      levels: detail?.levels ?? [],
      ranges: detail === undefined ? [] : rangesOf(detail),
      mark: isCurrent ? answered.forecast.mark : undefined,
      outcome: this.outcomeOf(ask, ofWindow),
    };
    this.#chart.show(view);
    this.#lastTick = `Last tick used: ${this.#chart.readText(ask.count - 1)}`;
    this.#readout.textContent = this.#lastTick;
    this.#reader.max = String(ask.count - 1);
    this.#reader.value = String(ask.count - 1);
    byId('chart-words', HTMLElement).textContent = describeChart(view);
    this.#legend(view);
    this.setOld(!isCurrent);
    this.#outcome(view, isCurrent);
  }

  /** A window without a forecast yet, and why. */
  invite(headline: string, text: string): void {
    this.#hasAnswer = false;
    this.setOld();
    byId('headline', HTMLElement).textContent = headline;
    byId('sentences', HTMLElement).textContent = text;
    byId('answer-place', HTMLElement).textContent = '';
    for (const badge of this.#badges) badge.removeAttribute('data-mark');
    this.#stepper.textContent = headline;
    byId('reasons', HTMLElement).hidden = true;
    byId('figures', HTMLElement).replaceChildren();
    for (const id of ['proof', 'input']) byId(id, HTMLElement).hidden = true;
  }

  showAnswer({ ask, forecast: { mark, detail, isOfPage } }: Answered): void {
    this.#hasAnswer = true;
    byId('answer-place', HTMLElement).textContent = placeText(isOfPage === true ? detail.model.id : null);
    const words = describeAnswer(mark, detail, ask.minMoveBps !== null);
    byId('headline', HTMLElement).textContent = words.headline;
    byId('sentences', HTMLElement).textContent = words.sentences.join(' ');
    for (const badge of this.#badges) badge.dataset['mark'] = String(mark ?? 0);
    const { probability } = detail.opportunity;
    this.#short = `${mark === 1 ? 'Identified' : 'Not identified'}${probability === null ? '' : `, ${percentText(probability)}`}. `;
    this.#stepper.textContent = this.#short + (byId('outcome', HTMLElement).textContent ?? '');
    const reasons = byId('reasons', HTMLElement);
    // That the probability is too low is said above, in words.
    const told = detail.reasons.filter(({ code }) => code !== 'below_threshold');
    reasons.hidden = told.length === 0;
    reasons.replaceChildren(...told.map(({ text }) => element('li', {}, asSentence(text))));
    renderFigures(byId('figures', HTMLElement), answerFigures(detail, ask));
    this.#proof(detail);
    byId('input', HTMLElement).hidden = false;
    renderFigures(byId('input-figures', HTMLElement), inputFigures(detail));
    byId('input-notes', HTMLElement).replaceChildren(...detail.input.notes.map((code) => element('li', {}, noteText(code))));
  }

  #proof(detail: Answered['forecast']['detail']): void {
    const waterfall = waterfallOf(detail);
    byId('proof', HTMLElement).hidden = false;
    const box = byId('waterfall', HTMLElement);
    const quiet = byId('quiet', HTMLElement);
    box.hidden = waterfall === null;
    quiet.hidden = waterfall === null || waterfall.quiet.length === 0;
    const text = byId('proof-text', HTMLElement);
    if (waterfall === null) {
      text.textContent = 'The network did not run: the window was refused before, for the reason above.';
      return;
    }
    const { decision_threshold: marked } = detail.opportunity;
    const dashed = marked === null ? '' : `, the dashed one where marks begin (${percentText(marked)})`;
    text.textContent = `Log-odds add up from the baseline to the answer; each bar begins where the previous one ends. The thin line marks even odds (50 %)${dashed}.`;
    box.replaceChildren(renderWaterfall(waterfall));
    byId('quiet-title', HTMLElement).textContent = `${countText(waterfall.quiet.length, 'more rule')} checked the window and added nothing`;
    byId('quiet-rules', HTMLElement).replaceChildren(
      ...waterfall.quiet.map(({ name, text: told }) => element('li', {}, element('b', {}, name), `: ${told}`)),
    );
  }

  #legend({ levels, ranges, minMoveBps, outcome }: ChartView): void {
    const has = (kind: string): boolean => levels.some((level) => level.kind === kind);
    const items: [string, string, boolean][] = [
      ['price', 'price', true],
      ['after', 'what came after', outcome.status === 'known'],
      ['support', 'support', has('support')],
      ['resistance', 'resistance', has('resistance')],
      ['band', 'threshold', minMoveBps !== null],
      [
        'range',
        `${ranges
          .map(({ level }) => Math.round(100 * level))
          .toReversed()
          .join(', ')} % ranges`,
        ranges.length > 0,
      ],
    ];
    byId('legend', HTMLElement).replaceChildren(
      ...items
        .filter(([, , isThere]) => isThere)
        .map(([of, name]) => element('li', {}, element('span', { class: 'swatch', 'data-of': of, 'aria-hidden': 'true' }), name)),
    );
  }

  #outcome({ outcome, minMoveBps }: ChartView, isCurrent: boolean): void {
    const told = byId('outcome', HTMLElement);
    // At the end of the ticks no outcome is known and no text is needed.
    told.hidden = !isCurrent || (outcome.status === 'unknown' && outcome.why === 'file_ends');
    told.textContent = told.hidden ? '' : outcomeText(outcome, minMoveBps);
    this.#stepper.textContent = this.#short + told.textContent;
  }
}
