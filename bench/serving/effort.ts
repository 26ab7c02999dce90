/** How much time a run takes; a first look is `SERVING_ROUNDS=1 SERVING_SECONDS=1 SERVING_TRIES=1`. */
export type Effort = {
  /** Times that each cell is visited; medians count. */
  readonly rounds: number;
  /** Of one visit. */
  readonly seconds: number;
  /** A visit that others disturb is made again, up to so many times in all. */
  readonly tries: number;
};

export function readEffort(env: NodeJS.ProcessEnv = process.env): Effort {
  return {
    rounds: positive(env, 'SERVING_ROUNDS', 4),
    seconds: positive(env, 'SERVING_SECONDS', 2),
    tries: positive(env, 'SERVING_TRIES', 3),
  };
}

/** Throws where the variable is no number above 0. */
export function positive(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
  const value = Number(env[name] ?? byDefault);
  if (!(value > 0 && value < Infinity)) throw new Error(`${name} must be a number above 0; it is ${env[name]}.`);
  return value;
}
