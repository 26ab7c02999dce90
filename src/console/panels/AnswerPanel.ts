import { type Answered, type Ask, isSameAsk, isSameWindow } from '../Ask.ts';
import { describeAnswer, noteText, reasonWords, countText, percentText, outcomeText, placeText } from '../answer/describeAnswer.ts';
import { answerCards, inputFigures, moreFigures } from '../answer/figures.ts';
import { renderFigures } from '../answer/renderFigures.ts';
import { renderWaterfall } from '../answer/renderWaterfall.ts';
import { waterfallOf } from '../answer/waterfall.ts';
import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { priceWriter } from '../chart/priceDigits.ts';
import { levelOf, usualLevel } from '../chart/level.ts';
import { conesOf, type ChartMark, msOf, type Scene } from '../chart/Scene.ts';
import { describeChart } from '../chart/describeChart.ts';
import { TickChart } from '../chart/TickChart.ts';
import { byId, element, showText } from '../dom/element.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import type { ReplayedWindow } from '../replay/ReplayedWindow.ts';
import { ticksUpTo, unitOf, type TickSeries } from '../ticks/TickSeries.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { labelOutcome, type Outcome } from '../ticks/labelOutcome.ts';
import { usualRate } from '../ticks/usualRate.ts';

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

/** What moves are counted from: the entry, once it is known. */
const bandPriceOf = ({ source, origin }: Ask, outcome: Outcome): number =>
  source.series.prices[outcome.status === 'known' && outcome.entry !== null ? outcome.entry : origin];

/** The price of which is asked whether it is reached, with its chance. Until one is chosen it lies at the usual place. */
function levelOfAsk({ source, origin, count, horizonMs, level }: Ask, detail: ForecastDetail | undefined): Scene['level'] {
  const price = level ?? usualLevel(ticksUpTo(source.series, origin, count));
  if (price === null) return undefined;
  const probability = detail?.touch?.levels.find((one) => one.price === level)?.probability;
  return levelOf(price, { within: formatSpan(horizonMs), probability, write: priceWriter(source.series) });
}

/** The answer, its chart, its computation and what the service saw of the input. */
export class AnswerPanel {
  readonly #chart: TickChart;
  readonly #readout = byId('readout', HTMLElement);
  /** What the chart shows. */
  #ask: Ask | undefined;
  #marks: { readonly windows: readonly ReplayedWindow[]; readonly horizonMs: number } = { windows: [], horizonMs: 0 };

  /** `onZoom`: the part of the chart that is shown has changed; `onLevel`: the price of which is asked whether it is reached. */
  constructor(onZoom: (zoomed: string) => void, onLevel: (price: number) => void) {
    const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement);
    const [whole, zoomOut, zoomIn] = [button('zoom-whole'), button('zoom-out'), button('zoom-in')];
    this.#chart = new TickChart({
      box: byId('chart', HTMLElement),
      textOf: (at) => this.#tickText(at),
      candles: button('chart-candles'),
      onLevel,
      onRead: (text) => (this.#readout.textContent = text === '' ? this.#lastTick : text),
      onMove: (isMoved) => {
        whole.hidden = !isMoved;
        onZoom(this.#chart.zoomed);
      },
    });
    whole.addEventListener('click', () => this.#chart.reset());
    zoomOut.addEventListener('click', () => this.#chart.zoom('out'));
    zoomIn.addEventListener('click', () => this.#chart.zoom('in'));
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

  zoomTo(zoomed: string): void {
    this.#chart.zoomTo(zoomed);
  }

  zoom(way: 'in' | 'out' | 'whole'): void {
    if (way === 'whole') this.#chart.reset();
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

  /** Marks of a replay, drawn from the next window on. */
  showMarks(windows: readonly ReplayedWindow[], horizonMs: number): void {
    this.#marks = { windows, horizonMs };
  }

  /** Draws the request, and on top of it the answer if it belongs to the same ticks. */
  show(ask: Ask, answered: Answered | undefined): void {
    const isCurrent = answered !== undefined && isSameAsk(ask, answered.ask);
    const ofWindow = answered !== undefined && isSameWindow(ask, answered.ask) ? answered : undefined;
    const detail = ofWindow?.forecast.detail;
    const { series } = ask.source;
    const from = ask.origin + 1 - ask.count;
    const [firstMs, lastMs] = [msOf(series, from), msOf(series, ask.origin)];
    const place = { fromMs: lastMs, toMs: lastMs + ask.horizonMs, price: series.prices[ask.origin] };
    const outcome = this.outcomeOf(ask, ofWindow);
    const reach = detail?.touch?.reach;
    const scene: Scene = {
      ...{ series, from, last: ask.origin, horizonMs: ask.horizonMs, spanMs: lastMs - firstMs },
      minMoveBps:
        typeof ask.options.minMoveBps === 'number' ? ask.options.minMoveBps : isCurrent ? (detail?.opportunity.min_move_bps ?? null) : null,
      isMarked: isCurrent ? answered.forecast.mark === 1 : undefined,
      bandPrice: bandPriceOf(ask, outcome),
      cones: conesOf(reach ?? detail?.range ?? [], place),
      isReach: reach !== undefined,
      level: levelOfAsk(ask, detail),
      breaks: [],
      earlier: (first, last) => ({ cones: [], marks: this.#marksOf(series, first, last) }),
      outcome,
    };
    const isOther = this.#ask === undefined || !isSameWindow(this.#ask, ask) || this.#ask.horizonMs !== ask.horizonMs;
    this.#ask = ask;
    this.#lastTick = `Last ${unitOf(series)} used: ${this.#tickText(ask.origin)}`;
    this.#chart.show(scene, { isOther });
    byId('chart-words', HTMLElement).textContent = describeChart(scene);
    this.#legend(scene);
    this.setOld(!isCurrent);
    this.#outcome(scene, isCurrent);
  }

  /** Marks of the replay between two ticks, newest first. */
  #marksOf(series: TickSeries, first: number, last: number): ChartMark[] {
    const { windows, horizonMs } = this.#marks;
    return windows
      .filter(({ origin }) => origin >= first && origin < last)
      .map(({ origin, minMoveBps, outcome }) => ({
        ...{ fromMs: msOf(series, origin), toMs: msOf(series, origin) + horizonMs, price: series.prices[origin] },
        ...{ name: formatSpan(horizonMs), minMoveBps, came: typeof outcome === 'boolean' ? outcome : undefined },
      }))
      .reverse();
  }

  #tickText(at: number): string {
    const { series } = this.#ask!.source;
    return `${writeTimestamp(series.timesUs[at])}  ${priceWriter(series)(series.prices[at])}`;
  }

  /** A window without a forecast yet, and why. */
  invite(headline: string, text: string): void {
    this.#hasAnswer = false;
    this.setOld();
    byId('headline', HTMLElement).textContent = headline;
    byId('line', HTMLElement).textContent = text;
    byId('answer-place', HTMLElement).textContent = '';
    for (const badge of this.#badges) badge.removeAttribute('data-mark');
    this.#stepper.textContent = headline;
    for (const id of ['in-sample', 'reasons', 'answer-more']) byId(id, HTMLElement).hidden = true;
    byId('figures', HTMLElement).replaceChildren();
    for (const id of ['proof', 'input']) byId(id, HTMLElement).hidden = true;
  }

  showAnswer({ ask, forecast: { mark, detail, isOfPage } }: Answered): void {
    this.#hasAnswer = true;
    byId('answer-place', HTMLElement).textContent = placeText(isOfPage === true ? detail.model.id : null);
    const { probability, min_move_bps: moveBps } = detail.opportunity;
    const { series } = ask.source;
    const usual = moveBps === null ? null : usualRate(series, ask.origin, ask.horizonMs, moveBps, detail.input.median_gap_ms);
    const words = describeAnswer(mark, detail, ask.options.minMoveBps !== undefined, usual);
    byId('headline', HTMLElement).textContent = words.headline;
    byId('sentences', HTMLElement).textContent = words.sentences.join(' ');
    for (const badge of this.#badges) badge.dataset['mark'] = String(mark ?? 0);
    this.#short = `${mark === 1 ? 'Marked' : 'Not marked'}${probability === null ? '' : `, ${percentText(probability)}`}. `;
    this.#stepper.textContent = this.#short + (byId('outcome', HTMLElement).textContent ?? '');
    byId('line', HTMLElement).textContent = words.line;
    byId('in-sample', HTMLElement).hidden = !detail.input.notes.includes('seen_in_training');
    const reasons = byId('reasons', HTMLElement);
    const told = reasonWords(detail);
    // The first one is in the line.
    reasons.hidden = told.length < 2;
    reasons.replaceChildren(...told.map((text) => element('li', {}, asSentence(text))));
    const { timesUs } = series;
    const unit = unitOf(series);
    const price = bandPriceOf(ask, labelOutcome(series, ask.origin, ask.horizonMs, detail.input.median_gap_ms));
    const last = { timeUs: timesUs[ask.origin], price, write: priceWriter(series), nowMs: Date.now(), unit };
    renderFigures(byId('figures', HTMLElement), answerCards(detail, ask.options, last));
    renderFigures(byId('more-figures', HTMLElement), moreFigures(detail, ask.options, last.write));
    byId('answer-more', HTMLElement).hidden = false;
    this.#proof(detail);
    byId('input', HTMLElement).hidden = false;
    renderFigures(byId('input-figures', HTMLElement), inputFigures(detail, unit));
    byId('input-notes', HTMLElement).replaceChildren(...detail.input.notes.map((code) => element('li', {}, noteText(code))));
    byId('input-codes', HTMLElement).textContent = [...detail.reasons.map(({ code, rule }) => rule ?? code), ...detail.input.notes].join(
      ', ',
    );
    byId('input-expert', HTMLElement).hidden = detail.reasons.length + detail.input.notes.length === 0;
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

  #legend({ cones: ranges, isReach, minMoveBps, outcome }: Scene): void {
    const levels = ranges.map(({ level }) => Math.round(100 * level)).toReversed();
    const items = [
      ['price', 'price', true],
      ['after', 'what came after', outcome.status === 'known'],
      ['band', 'threshold', minMoveBps !== null],
      ['range', `${levels.join(', ')} % ${isReach === true ? 'of the time, all prices stay within' : 'ranges'}`, ranges.length > 0],
    ] as const;
    const shown = items.filter(([, , isThere]) => isThere);
    byId('legend', HTMLElement).replaceChildren(
      ...shown.map(([of, name]) => element('li', {}, element('span', { class: 'swatch', 'data-of': of, 'aria-hidden': 'true' }), name)),
    );
  }

  #outcome({ outcome, minMoveBps }: Scene, isCurrent: boolean): void {
    // At the end of the ticks no outcome is known and no text is needed.
    const isNone = !isCurrent || (outcome.status === 'unknown' && outcome.why === 'file_ends');
    const text = isNone ? '' : outcomeText(outcome, minMoveBps);
    showText('outcome', text);
    this.#stepper.textContent = this.#short + text;
  }
}
