import { WEIGHT_NAMES, type WeightArrays, type WeightName } from '../../src/model/NetworkWeights.ts';

export function copyWeights(weights: WeightArrays): WeightArrays {
  return Object.fromEntries(WEIGHT_NAMES.map((name) => [name, weights[name].slice()])) as Record<WeightName, Float32Array>;
}

/** Updates the running mean of weights in place: decay · mean + (1 − decay) · weights. */
export function moveMean(mean: WeightArrays, weights: WeightArrays, decay: number): void {
  for (const name of WEIGHT_NAMES) {
    const [to, from] = [mean[name], weights[name]];
    for (let i = 0; i < to.length; i++) to[i] = decay * (to[i] as number) + (1 - decay) * (from[i] as number);
  }
}

/** Weights under their names in a checkpoint, `<prefix>:<weight>`. */
export function packWeights(prefix: string, weights: WeightArrays): Record<string, Float32Array> {
  return Object.fromEntries(WEIGHT_NAMES.map((name) => [`${prefix}:${name}`, weights[name]]));
}

/** Copies what `packWeights` packed into `weights`. Throws RangeError if an array is missing or has another length. */
export function unpackWeights(prefix: string, arrays: Readonly<Record<string, Float32Array | Int32Array>>, weights: WeightArrays): void {
  for (const name of WEIGHT_NAMES) {
    const saved = arrays[`${prefix}:${name}`];
    if (saved?.length !== weights[name].length)
      throw new RangeError(`The checkpoint has ${saved?.length ?? 'no'} values for ${prefix}:${name}, not ${weights[name].length}.`);
    weights[name].set(saved);
  }
}
