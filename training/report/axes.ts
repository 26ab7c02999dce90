import { escapeHtml } from './escapeHtml.ts';
import { formatFigure } from './formatFigure.ts';
import { type Domain, linearScale, place } from './scale.ts';

export type Ticks = { readonly values: readonly number[]; readonly step: number; readonly digits: number };

/** One axis: title, domain, and format of the tick labels (default: the number with the digits that its step needs). */
export type Axis = {
  readonly title: string;
  readonly domain: Domain;
  readonly format?: (value: number, digits: number) => string;
  /** Approximate number of ticks. Default 5. */
  readonly ticks?: number;
};

/** The plot area in pixels of the view box, and the scales from data to pixels. */
export type Frame = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
};

export const CHART_WIDTH = 400;
export const CHART_HEIGHT = 280;

/** Multiples of 1, 2 or 5 times a power of ten inside the domain, about `wanted` of them (Heckbert 1990). */
export function niceTicks([low, high]: Domain, wanted = 5): Ticks {
  const raw = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.max(0, Math.floor(high / step + 1e-9) - first + 1);
  return { values: Array.from({ length: count }, (_, i) => Number(((first + i) * step).toFixed(digits))), step, digits };
}

/** The domain widened to whole ticks. */
export function niceDomain(domain: Domain, wanted = 5): Domain {
  const { step, digits } = niceTicks(domain, wanted);
  const whole = (value: number): number => Number((value * step).toFixed(digits));
  return [whole(Math.floor(domain[0] / step + 1e-9)), whole(Math.ceil(domain[1] / step - 1e-9))];
}

export function makeFrame(x: Domain, y: Domain, width = CHART_WIDTH, height = CHART_HEIGHT): Frame {
  const [left, right, top, bottom] = [46, width - 24, 26, height - 42];
  return { left, right, top, bottom, x: linearScale(x, left, right), y: linearScale(y, bottom, top) };
}

/** Grid, tick labels and titles. The title of the y axis is horizontal, above the axis. */
export function drawAxes(frame: Frame, x: Axis, y: Axis): string {
  const { left, right, top, bottom } = frame;
  const xTicks = niceTicks(x.domain, x.ticks);
  const yTicks = niceTicks(y.domain, y.ticks);
  const label = (axis: Axis, value: number, digits: number): string => escapeHtml((axis.format ?? formatFigure)(value, digits));
  const parts = [
    ...yTicks.values.map((value) => {
      const at = frame.y(value);
      return `<path class="grid" d="M${place(left)} ${place(at)}H${place(right)}"/><text class="end" x="${left - 7}" y="${place(at + 4)}">${label(y, value, yTicks.digits)}</text>`;
    }),
    ...xTicks.values.map((value) => {
      const at = frame.x(value);
      return `<path class="axis" d="M${place(at)} ${place(bottom)}v4"/><text class="middle" x="${place(at)}" y="${place(bottom + 18)}">${label(x, value, xTicks.digits)}</text>`;
    }),
    `<path class="axis" d="M${place(left)} ${place(top)}V${place(bottom)}H${place(right)}"/>`,
    `<text class="title" x="4" y="13">${escapeHtml(y.title)}</text>`,
    `<text class="title end" x="${place(right)}" y="${place(bottom + 36)}">${escapeHtml(x.title)}</text>`,
  ];
  return parts.join('');
}
