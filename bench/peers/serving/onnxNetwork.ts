import { type NetworkSpec, weightShapes, type WeightArrays, type WeightName } from '../../../src/engine/model/NetworkWeights.ts';
import { lstmNodes, lstmTensors } from '../onnxLstm.ts';
import { floatTensor, int64Tensor, intAttribute, onnxModel, onnxNode } from '../onnxProto.ts';

/**
 * The whole network of a version as an ONNX model, equivalent to `src/engine/model/forward.ts`. Inputs x [B,T,F], context [B,C], baseline [B,1];
 * output logits [B,3K]: baseline, residual and direction logits of all heads.
 */
export function onnxNetwork(spec: NetworkSpec, weights: WeightArrays): Uint8Array {
  const { steps: T, sequenceColumns: F, contextColumns: C, units: H, heads: K } = spec;
  const shapes = weightShapes(spec);
  const kept = (Object.keys(shapes) as WeightName[]).filter((name) => !name.startsWith('lstm/'));
  const relu = (name: string, input: string): Uint8Array[] => [dense(name, input, `${name}_`), onnxNode('Relu', [`${name}_`], [name])];
  const lstm = { kernel: weights['lstm/kernel'], recurrentKernel: weights['lstm/recurrent_kernel'], bias: weights['lstm/bias'] };
  return onnxModel({
    name: 'tickmark',
    nodes: [
      ...lstmNodes(H, ['all', 'end']),
      onnxNode('Squeeze', ['all', 'axis1'], ['states']), // [T,B,H]
      onnxNode('Squeeze', ['end', 'axis0'], ['last']), // [B,H]
      onnxNode('MatMul', ['states', 'attention/kernel'], ['scores']), // [T,B,1]
      onnxNode('Softmax', ['scores'], ['shares'], [intAttribute('axis', 0)]),
      onnxNode('Mul', ['states', 'shares'], ['weighted']),
      onnxNode('ReduceSum', ['weighted', 'axis0'], ['pooled'], [intAttribute('keepdims', 0)]), // [B,H]
      onnxNode('Concat', ['last', 'pooled', 'context'], ['summary'], [intAttribute('axis', 1)]),
      ...relu('trunk', 'summary'),
      ...relu('adapters', 'trunk'),
      onnxNode('Concat', ['trunk', 'adapters'], ['joined'], [intAttribute('axis', 1)]),
      dense('baseline', 'baseline', 'b_logits'),
      dense('opportunity', 'joined', 'o_logits'),
      dense('direction', 'joined', 'd_logits'),
      onnxNode('Concat', ['b_logits', 'o_logits', 'd_logits'], ['logits'], [intAttribute('axis', 1)]),
    ],
    tensors: [
      ...lstmTensors({ columns: F, units: H, ...lstm }),
      ...kept.map((name) => floatTensor(name, shapes[name], weights[name])),
      int64Tensor('axis0', [0]),
      int64Tensor('axis1', [1]),
    ],
    inputs: { x: ['B', T, F], context: ['B', C], baseline: ['B', 1] },
    outputs: { logits: ['B', 3 * K] },
  });
}

const dense = (layer: string, input: string, output: string): Uint8Array =>
  onnxNode('Gemm', [input, `${layer}/kernel`, `${layer}/bias`], [output]);
