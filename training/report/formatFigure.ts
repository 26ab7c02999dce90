const MINUS = '\u2212';

/** A number with `digits` decimals, commas between thousands and a real minus sign; '–' for NaN, '∞' for infinity. */
export function formatFigure(value: number, digits: number): string {
  if (Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  const sign = value < 0 && Number(size.toFixed(digits)) !== 0 ? MINUS : '';
  if (size === Infinity) return `${value < 0 ? MINUS : ''}∞`;
  if (size >= 1e15) return `${sign}${size.toExponential(2)}`;
  const [whole = '', fraction] = size.toFixed(digits).split('.');
  const parted = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${sign}${parted}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** The same with a plus sign if it is above 0. */
export function formatDifference(value: number, digits: number): string {
  return `${value > 0 ? '+' : ''}${formatFigure(value, digits)}`;
}

/** A fraction as percent. */
export function formatPercent(fraction: number, digits = 0): string {
  return Number.isFinite(fraction) ? `${formatFigure(100 * fraction, digits)} %` : '–';
}

/** Four significant digits, for columns of any scale. */
export function formatSignificant(value: number): string {
  if (!Number.isFinite(value) || value === 0) return formatFigure(value, 0);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) return value.toExponential(2).replaceAll('-', MINUS);
  return formatFigure(value, Math.max(0, 3 - Math.floor(Math.log10(size))));
}

/** A horizon in seconds or minutes: 10 s, 300 s, 30 min. */
export function formatHorizon(seconds: number): string {
  return seconds >= 600 && seconds % 60 === 0 ? `${formatFigure(seconds / 60, 0)} min` : `${Number.isFinite(seconds) ? seconds : '–'} s`;
}
