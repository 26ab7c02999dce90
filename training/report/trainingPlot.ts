import { formatFigure } from './formatFigure.ts';
import { linePlot } from './linePlot.ts';
import { CANDIDATE_STYLE, EWMA_STYLE } from './marks.ts';
import type { TrainingCurve } from './ReportData.ts';
import { escapeHtml } from './escapeHtml.ts';

/** Training loss has the second colour, validation loss the first. */
export const TRAINING_STYLE = EWMA_STYLE;
export const VALIDATION_STYLE = CANDIDATE_STYLE;

const WIDTH = 340;
const HEIGHT = 215;

/** The losses of one network: training as a thin line, validation with points, and the kept step as a dashed line. */
export function trainingPlot(curve: TrainingCurve, id: string): string {
  const best = curve.validation.find(({ step }) => step === curve.bestStep);
  const kept = `kept step ${formatFigure(curve.bestStep, 0)}${best === undefined ? '' : `, validation ${formatFigure(best.loss, 4)}`}`;
  const svg = linePlot({
    id,
    title: `Losses of ${curve.name}`,
    description: `${curve.training.length} training losses and ${curve.validation.length} validation losses by step; ${kept}.`,
    width: WIDTH,
    height: HEIGHT,
    x: { title: 'step', ticks: 4 },
    y: { title: 'loss, nats', ticks: 4 },
    at: { x: curve.bestStep, name: kept },
    series: [
      { style: TRAINING_STYLE, isThin: true, points: curve.training.map(({ step, loss }) => ({ x: step, y: loss })) },
      {
        style: VALIDATION_STYLE,
        points: curve.validation.map(({ step, loss }) => ({
          x: step,
          y: loss,
          tooltip: `step ${formatFigure(step, 0)}: validation ${formatFigure(loss, 4)}`,
        })),
      },
    ],
  });
  return `<figure class="small"><figcaption><b>${escapeHtml(curve.name)}</b> <span>${escapeHtml(kept)}</span></figcaption>${svg}</figure>`;
}
