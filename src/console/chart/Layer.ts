import type { PriceScale } from './PriceScale.ts';
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

const COLOUR_NAMES = ['ink', 'soft', 'grid', 'card', 'price', 'after', 'band', 'range', 'mark', 'accent', 'good', 'bad'] as const;

export type Colours = Readonly<Record<(typeof COLOUR_NAMES)[number], string>>;

/** The colours of the present scheme as a canvas takes them: `light-dark()` is resolved by an element that wears them. */
export function readColours(): Colours {
  const probe = document.createElement('span');
  probe.hidden = true;
  // Else all of them would be the colour of text.
  probe.style.forcedColorAdjust = 'none';
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(COLOUR_NAMES.map((name) => [name, read(name)]));
  probe.remove();
  return colours as Colours;
}
