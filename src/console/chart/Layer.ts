import type uPlot from 'uplot';
import type { ChartView, Colours } from './ChartView.ts';

/** What a part of the picture is drawn on, and from. `ratio`: pixels of the canvas for one of the page. */
export type Layer = { readonly plot: uPlot; readonly view: ChartView; readonly colours: Colours; readonly ratio: number };

export const FONT_PX = 11;
export const fontOf = (ratio: number): string => `${FONT_PX * ratio}px system-ui, sans-serif`;

export const xOf = ({ plot }: Layer, ms: number): number => plot.valToPos(ms, 'x', true);
export const yOf = ({ plot }: Layer, price: number): number => plot.valToPos(price, 'y', true);
