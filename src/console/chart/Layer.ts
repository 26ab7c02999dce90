import type { PriceScale } from './PriceScale.ts';
import type { Colours } from './colours.ts';
import type { Earlier, Scene } from './Scene.ts';
import type { TimeScale } from './TimeScale.ts';

/** What a scene is drawn on, in pixels of the page. */
export type Layer = {
  readonly ctx: CanvasRenderingContext2D;
  readonly scene: Scene;
  readonly earlier: Earlier;
  readonly time: TimeScale;
  readonly price: PriceScale;
  readonly colours: Colours;
  /** Candles in place of a line. */
  readonly isCandles: boolean;
  /** Of the width of a phone. */
  readonly isNarrow: boolean;
};

/** Between labels of the price axis, and their lines. */
export const PRICE_LABEL_PX = 36;
/** The same of the time axis. */
export const timeLabelPx = ({ isNarrow }: Pick<Layer, 'isNarrow'>): number => (isNarrow ? 60 : 90);
