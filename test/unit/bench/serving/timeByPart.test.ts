import { expect } from 'chai';
import { IDLE, timeByPart } from '../../../../bench/serving/timeByPart.ts';

const node = (id: number, functionName: string, url = '', children: number[] = []) => ({ id, callFrame: { functionName, url }, children });

describe('timeByPart', () => {
  it('assigns a sample to the innermost file, and system calls to their caller', () => {
    const times = timeByPart({
      nodes: [
        node(1, '(root)', '', [2, 3, 6, 8, 9]),
        node(2, '(idle)'),
        node(3, 'answer', 'file:///x/dist/src/service/http/handlers.js', [4, 5]),
        node(4, 'collapse', 'file:///x/dist/src/engine/features/collapse.js'),
        // Without a file, and with the name of a property that every object has.
        node(5, 'toString'),
        node(6, 'run', 'file:///x/dist/src/engine/inference/child/NetworkClient.js', [7]),
        node(7, 'writeBuffer'),
        node(8, 'writev'),
        node(9, 'wasm-function[8]', 'wasm://wasm/00010a76'),
      ],
      samples: [2, 3, 4, 5, 7, 8, 9],
      timeDeltas: [1, 2, 4, 8, 16, 32, 64],
    });
    expect([...times]).to.have.deep.members([
      [IDLE, 1],
      ['HTTP code of tickmark', 2 + 8],
      ['features', 4],
      ['writing rows or logits to the other process (system call)', 16],
      ['writing answers (system call)', 32],
      ['LSTM and attention (WebAssembly)', 64],
    ]);
  });
});
