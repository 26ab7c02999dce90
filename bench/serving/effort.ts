/** Effort of a run. For a quick run use `SERVING_ROUNDS=1 SERVING_SECONDS=1 SERVING_TRIES=1`. */
export type Effort = {
  /** Visits per cell; the median is the result. */
  readonly rounds: number;
  /** Seconds per visit. */
  readonly seconds: number;
  /** Most tries of a visit that other processes disturb. */
  readonly tries: number;
};

export function readEffort(env: NodeJS.ProcessEnv = process.env): Effort {
  return {
    rounds: positive(env, 'SERVING_ROUNDS', 4),
    seconds: positive(env, 'SERVING_SECONDS', 2),
    tries: positive(env, 'SERVING_TRIES', 3),
  };
}

/** Throws if the variable is not a number above 0. */
export function positive(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
  const value = Number(env[name] ?? byDefault);
  if (!(value > 0 && value < Infinity)) throw new Error(`${name} must be a number above 0; it is ${env[name]}.`);
  return value;
}
