import * as tf from '@tensorflow/tfjs-core';
import * as layers from '@tensorflow/tfjs-layers';
import { type NetworkSpec, sizeOf, WEIGHT_NAMES, weightShapes, type WeightArrays } from './NetworkWeights.ts';

/**
 * Builds the network as a plain LayersModel of stock layers, so that every TF.js can load the saved files, also in a browser.
 * Inputs sequence [B,T,F], context [B,C], baseline [B,1]; outputs opportunity_logits [B,K], direction [B,K].
 * The caller disposes it.
 */
export function buildLayersModel(spec: NetworkSpec, weights: WeightArrays): layers.LayersModel {
  const { steps: T, sequenceColumns: F, contextColumns: C, units: H, dense: D, adapterRank: r, heads: K } = spec;
  const l = layers.layers;
  const sequence = layers.input({ shape: [T, F], name: 'sequence' });
  const context = layers.input({ shape: [C], name: 'context' });
  const baseline = layers.input({ shape: [1], name: 'baseline_input' });

  const states = l
    .lstm({
      name: 'lstm',
      units: H,
      recurrentActivation: 'sigmoid',
      returnSequences: true,
      implementation: 1,
      // The weights are set below; the default, an orthogonal matrix, would be computed in vain.
      recurrentInitializer: 'zeros',
    })
    .apply(sequence) as layers.SymbolicTensor;
  const scores = l.dense({ name: 'attention', units: 1, useBias: false }).apply(states) as layers.SymbolicTensor;
  const attention = l
    .activation({ name: 'attention_shares', activation: 'softmax' })
    .apply(l.flatten({ name: 'attention_scores' }).apply(scores));
  const pooled = l.dot({ name: 'pooled', axes: 1 }).apply([attention as layers.SymbolicTensor, states]) as layers.SymbolicTensor;
  // The state after the last step; a cropping layer is the stock layer that can slice.
  const last = l.flatten({ name: 'last_state' }).apply(lastStep(states, T, H)) as layers.SymbolicTensor;
  const merged = l.concatenate({ name: 'trunk_input' }).apply([last, pooled, context]);
  const trunk = l.dense({ name: 'trunk', units: D, activation: 'relu' }).apply(merged) as layers.SymbolicTensor;
  const adapters = l.dense({ name: 'adapters', units: K * r, activation: 'relu' }).apply(trunk) as layers.SymbolicTensor;
  const joined = l.concatenate({ name: 'heads_input' }).apply([trunk, adapters]);
  const residual = l.dense({ name: 'opportunity', units: K }).apply(joined) as layers.SymbolicTensor;
  const skip = l.dense({ name: 'baseline', units: K }).apply(baseline) as layers.SymbolicTensor;
  const opportunity = l.add({ name: 'opportunity_logits' }).apply([skip, residual]) as layers.SymbolicTensor;
  const direction = l.dense({ name: 'direction', units: K }).apply(joined) as layers.SymbolicTensor;

  const model = layers.model({ name: 'tickmark', inputs: [sequence, context, baseline], outputs: [opportunity, direction] });
  setWeights(model, spec, weights);
  return model;
}

/** [B,T,H] -> [B,1,H], the last step: Cropping2D on [B,T,H,1] is the stock layer that can do it. */
function lastStep(states: layers.SymbolicTensor, T: number, H: number): layers.SymbolicTensor {
  const l = layers.layers;
  const image = l.reshape({ name: 'states_image', targetShape: [T, H, 1] }).apply(states);
  return l
    .cropping2D({
      name: 'last_step',
      cropping: [
        [T - 1, 0],
        [0, 0],
      ],
      dataFormat: 'channelsLast',
    })
    .apply(image) as layers.SymbolicTensor;
}

function setWeights(model: layers.LayersModel, spec: NetworkSpec, weights: WeightArrays): void {
  const shapes = weightShapes(spec);
  for (const layer of model.layers) {
    if (layer.weights.length === 0) continue;
    const names = WEIGHT_NAMES.filter((name) => name.startsWith(`${layer.name}/`));
    const tensors = names.map((name) => {
      if (weights[name].length !== sizeOf(shapes[name]))
        throw new RangeError(`${name}: ${weights[name].length} values for [${shapes[name]}]`);
      return tf.tensor(weights[name], [...shapes[name]]);
    });
    layer.setWeights(tensors);
    tf.dispose(tensors);
  }
}
