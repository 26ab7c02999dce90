export function logOdds(probability: number): number {
  return Math.log(probability / (1 - probability));
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** With their sign: `+0.35`, `−0.67`. The minus is the typographic one, as wide as the plus. */
export function logitText(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return Number(text) === 0 ? '0.00' : `${value < 0 ? '−' : '+'}${text}`;
}
