import { bpsText, countText } from '../answer/describeAnswer.ts';
import { byId, optionsOf } from '../dom/element.ts';
import { calibrationOf } from '../replay/curves.ts';
import { drawCalibration } from '../replay/drawCurves.ts';
import { binsFor, calibrationText, scoredOf } from './calibration.ts';
import { ForecastLog } from './ForecastLog.ts';
import { ForecastTable } from './ForecastTable.ts';
import { HorizonStrip } from './HorizonStrip.ts';
import { LiveChart } from './LiveChart.ts';
import { horizonName, LIVE_HORIZONS } from './livePlan.ts';
import { renderRecord } from '../record/renderRecord.ts';
import { conclusionOf } from '../../engine/live/score.ts';
import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import type { RecordGroup } from '../record/groupRecord.ts';
import type { Stream, StreamPlan } from './Stream.ts';
import type { FormOptions } from '../FormOptions.ts';

/** Time between two frames in which something is drawn. */
const DRAW_MS = 50;
/** What is drawn in each of them: all parts in one would hold the page up. */
const PARTS = ['chart', 'strip', 'chart', 'table', 'chart', 'score'] as const;

/** Draws a stream: strip, chart, score, calibration and the table of its last forecasts. */
export class LiveDisplay {
  readonly #span = byId('live-span', HTMLSelectElement);
  readonly #horizon = byId('live-horizon', HTMLSelectElement);
  readonly #chart = new LiveChart({
    ...{ box: byId('live-chart', HTMLElement), readout: byId('live-readout', HTMLElement) },
    ...{ latest: byId('live-latest', HTMLButtonElement), candles: byId('live-candles', HTMLButtonElement) },
  });
  readonly #strip = new HorizonStrip(byId('live-strip', HTMLElement));
  readonly #table = new ForecastTable();
  readonly #onDraw: () => void;
  #stream: Stream | undefined;
  #plans: readonly StreamPlan[] = LIVE_HORIZONS;
  #isDrawing = false;
  #drawnMs = 0;
  #frame = 0;
  /** What the score on the page was made of. */
  #drawnScores: unknown;

  /** `onDraw`: draws the rest of the view in the same frame. */
  constructor(onDraw: () => void) {
    this.#onDraw = onDraw;
    this.#span.addEventListener('change', () => {
      this.#chart.reset();
      this.drawSoon();
    });
    this.#horizon.addEventListener('change', () => {
      this.#drawnScores = undefined;
      this.drawSoon();
    });
    document.addEventListener('visibilitychange', () => this.drawSoon());
    this.#strip.show(undefined);
  }

  /** Another stream; `options`: those of the user, undefined: other programs have their own. */
  show(stream: Stream, options?: FormOptions): void {
    this.#strip.cost = costText(options);
    this.#stream = stream;
    this.#table.reset(stream.log);
    this.#chart.reset();
    this.#drawnScores = undefined;
    byId('live-results', HTMLElement).hidden = true;
    this.#offerPlans(stream.plans);
    this.drawSoon();
  }

  /** Nothing to draw yet. */
  clear(): void {
    this.#stream = undefined;
    this.#chart.show(undefined, null, null);
    this.#strip.show(undefined);
    this.#table.reset(new ForecastLog());
    byId('live-results', HTMLElement).hidden = true;
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
    const stream = this.#stream;
    if (stream === undefined) return;
    // A stream that stands calls no more.
    const parts: readonly string[] = stream.isMoving ? [PARTS[this.#frame++ % PARTS.length]] : PARTS;
    if (parts.includes('chart')) this.#drawChart(stream);
    if (parts.includes('strip')) this.#strip.show(stream);
    if (parts.includes('table')) this.#drawTable(stream);
    if (parts.includes('score') && stream.scores !== this.#drawnScores) this.#drawScores(stream);
  }

  /** The horizons that the chart can show. */
  #offerPlans(plans: readonly StreamPlan[]): void {
    if (plans === this.#plans) return;
    this.#plans = plans;
    this.#horizon.replaceChildren(this.#horizon.options[0], ...optionsOf(plans.map(({ id, name }) => [id, name])));
  }

  #drawTable({ log }: Stream): void {
    this.#table.update(log.takeChanges());
    byId('live-csv', HTMLButtonElement).disabled = log.rows.length === 0;
    const dropped = log.dropped === 0 ? '' : ` The oldest ${log.dropped.toLocaleString('en')} are no longer kept.`;
    byId('live-csv-hint', HTMLElement).textContent = `The file has ${countText(log.rows.length, 'forecast')} of this stream.${dropped}`;
  }

  #drawChart(stream: Stream): void {
    this.#chart.show(
      stream,
      this.#span.value === '' ? null : Number(this.#span.value),
      this.#horizon.value === '' ? null : this.#horizon.value,
    );
    const { marks, cones } = this.#chart.earlier;
    const [hits, misses] = [true, false].map((moved) => marks.filter(({ came }) => came === moved).length) as [number, number];
    const held = cones.filter(({ isHeld }) => isHeld).length;
    const ranges = cones.length === 0 ? '' : ` The price stayed in ${held} of ${countText(cones.length, '90 % range')}.`;
    const outcomes = `: ${hits} came true, ${misses} did not, ${marks.length - hits - misses} without a known outcome`;
    byId('live-chart-words', HTMLElement).textContent =
      `${marks.length === 0 ? 'No mark' : countText(marks.length, 'mark')} on the chart${marks.length === 0 ? '' : outcomes}.${ranges}${this.#chart.isReach ? ' The ranges ahead are those that all prices stay in.' : ''}`;
  }

  #drawScores({ scores, isResumed, log }: Stream): void {
    this.#drawnScores = scores;
    if (scores.length === 0) return;
    byId('live-results', HTMLElement).hidden = false;
    byId('live-scores', HTMLElement).replaceChildren(
      renderRecord(scores.map(groupOf), 'Running score of the stream by horizon', 'Horizon'),
    );
    byId('live-score-resumed', HTMLElement).hidden = !isResumed;
    const horizon = this.#horizon.value;
    const scored = scoredOf(log.rows.filter(({ message }) => horizon === '' || message.id === horizon));
    const bins = calibrationOf(scored, binsFor(scored.length));
    byId('live-calibration', HTMLElement).replaceChildren(...(bins.length === 0 ? [] : [drawCalibration(bins).svg]));
    byId('live-calibration-words', HTMLElement).textContent = calibrationText(bins);
  }
}

/** The running score of a horizon as a row of the track record. */
const groupOf = (score: LiveScore): RecordGroup => {
  const { id, hit_interval: hitInterval, base_rate: baseRate, ...counts } = score;
  return { name: horizonName(id), sum: { ...counts, ...conclusionOf(score), hitInterval, moved: (baseRate ?? 0) * counts.outcomes } };
};

function costText(options: FormOptions | undefined): string {
  if (options === undefined) return '';
  const { minMoveBps } = options;
  if (minMoveBps === undefined) return 'your cost: not named';
  return minMoveBps === 'cost' ? 'your cost: the spread' : `your cost: ${bpsText(minMoveBps)}`;
}
