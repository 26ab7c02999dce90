export function logOdds(probability: number): number {
  return Math.log(probability / (1 - probability));
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
