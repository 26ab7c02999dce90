import { countText } from '../answer/describeAnswer.ts';
import { byId } from '../dom/element.ts';
import { calibrationOf } from '../replay/curves.ts';
import { drawCalibration } from '../replay/drawCurves.ts';
import { binsFor, calibrationText, scoredOf } from './calibration.ts';
import { ForecastTable } from './ForecastTable.ts';
import { HorizonStrip } from './HorizonStrip.ts';
import { LiveChart } from './LiveChart.ts';
import type { LiveSession } from './LiveSession.ts';
import { renderScores } from './renderScores.ts';

/** Time between two frames in which something is drawn. */
const DRAW_MS = 50;
/** What is drawn in each of them: all parts in one would hold the page up. */
const PARTS = ['chart', 'strip', 'chart', 'table', 'chart', 'score'] as const;

/** Draws a stream: strip, chart, score, calibration and the table of its last forecasts. */
export class LiveDisplay {
  readonly #span = byId('live-span', HTMLSelectElement);
  readonly #horizon = byId('live-horizon', HTMLSelectElement);
  readonly #chart = new LiveChart(byId('live-chart', HTMLElement));
  readonly #strip = new HorizonStrip(byId('live-strip', HTMLElement));
  readonly #table = new ForecastTable();
  readonly #onDraw: () => void;
  #session: LiveSession | undefined;
  #isDrawing = false;
  #drawnMs = 0;
  #frame = 0;
  /** What the score on the page was made of. */
  #drawnScores: unknown;

  /** `onDraw`: draws the rest of the view in the same frame. */
  constructor(onDraw: () => void) {
    this.#onDraw = onDraw;
    this.#span.addEventListener('change', () => this.drawSoon());
    this.#horizon.addEventListener('change', () => {
      this.#drawnScores = undefined;
      this.drawSoon();
    });
    document.addEventListener('visibilitychange', () => this.drawSoon());
    this.#strip.show(undefined);
  }

  /** Another stream. */
  show(session: LiveSession): void {
    this.#session = session;
    this.#table.reset(session.log);
    this.drawSoon();
  }

  recolour(): void {
    this.#chart.recolour();
  }

  /** In the next frames of the page, so never while it is hidden. */
  drawSoon(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame((atMs) => {
      this.#isDrawing = false;
      if (atMs - this.#drawnMs < DRAW_MS) this.drawSoon();
      else {
        this.#drawnMs = atMs;
        this.#draw();
      }
    });
  }

  #draw(): void {
    this.#onDraw();
    const session = this.#session;
    if (session === undefined) return;
    // A stream that stands calls no more.
    const isMoving = session.phase === 'streaming' || session.phase === 'stopping';
    const parts: readonly string[] = isMoving ? [PARTS[this.#frame++ % PARTS.length]!] : PARTS;
    if (parts.includes('chart')) this.#drawChart(session);
    if (parts.includes('strip')) this.#strip.show(session);
    if (parts.includes('table')) this.#drawTable(session);
    if (parts.includes('score') && session.scores !== this.#drawnScores) this.#drawScores(session);
  }

  #drawTable({ log }: LiveSession): void {
    this.#table.update(log.takeChanges());
    byId('live-csv', HTMLButtonElement).disabled = log.rows.length === 0;
    const dropped = log.dropped === 0 ? '' : ` The oldest ${log.dropped.toLocaleString('en')} are no longer kept.`;
    byId('live-csv-hint', HTMLElement).textContent = `The file has ${countText(log.rows.length, 'forecast')} of this stream.${dropped}`;
  }

  #drawChart(session: LiveSession): void {
    this.#chart.show(session, Number(this.#span.value), this.#horizon.value === '' ? null : this.#horizon.value);
    const { marks } = this.#chart;
    const [hits, misses] = [true, false].map((moved) => marks.filter(({ outcome }) => outcome?.moved === moved).length) as [number, number];
    byId('live-chart-words', HTMLElement).textContent =
      `${countText(marks.length, 'mark')} on the chart: ${hits} came true, ${misses} did not, ${marks.length - hits - misses} without a known outcome.`;
  }

  #drawScores({ scores, isResumed, log }: LiveSession): void {
    this.#drawnScores = scores;
    if (scores.length === 0) return;
    byId('live-results', HTMLElement).hidden = false;
    byId('live-scores', HTMLElement).replaceChildren(renderScores(scores));
    byId('live-score-resumed', HTMLElement).hidden = !isResumed;
    const horizon = this.#horizon.value;
    const scored = scoredOf(log.rows.filter(({ message }) => horizon === '' || message.id === horizon));
    const bins = calibrationOf(scored, binsFor(scored.length));
    byId('live-calibration', HTMLElement).replaceChildren(...(bins.length === 0 ? [] : [drawCalibration(bins).svg]));
    byId('live-calibration-words', HTMLElement).textContent = calibrationText(bins);
  }
}
