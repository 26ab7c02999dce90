/** `0.4212` as `42 %`; below 1 and above 99 with one digit more, and never `0 %` or `100 %` for what is not. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.1) return 'under 0.1 %';
  if (percent > 99.9) return 'over 99.9 %';
  return percent < 1 || percent > 99 ? `${percent.toFixed(1)} %` : `${Math.round(percent)} %`;
}

/** Basis points with three significant digits. */
export function bpsText(bps: number): string {
  return `${significant(bps, 3)} bps`;
}

export function significant(value: number, digits: number): string {
  return value === 0
    ? '0'
    : Number(value.toPrecision(digits)).toLocaleString('en', { maximumSignificantDigits: digits, useGrouping: false });
}

/** Log-odds with their sign: `+0.35`, `−0.67`. The minus is the typographic one, as wide as the plus. */
export function logitText(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return Number(text) === 0 ? '0.00' : `${value < 0 ? '−' : '+'}${text}`;
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** A price with its own digits, without the rounding errors of binary fractions. */
export function priceText(price: number): string {
  return String(Number(price.toPrecision(12)));
}

export const probabilityOf = (logit: number): number => 1 / (1 + Math.exp(-logit));
