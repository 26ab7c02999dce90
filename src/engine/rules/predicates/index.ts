// The files of predicates: each of their exports is one that a rule set may name.
export * from './breakouts.ts';
export * from './costs.ts';
export * from './dataQuality.ts';
export * from './momentum.ts';
export * from './nearness.ts';
export * from './pathShape.ts';
export * from './tempo.ts';
export * from './volatility.ts';
