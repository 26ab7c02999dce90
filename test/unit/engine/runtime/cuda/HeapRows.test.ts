import { expect } from 'chai';
import { CudaError, type CudaDriver } from '../../../../../src/engine/runtime/cuda/CudaDriver.ts';
import { HeapRows } from '../../../../../src/engine/runtime/cuda/HeapRows.ts';

/** Where the card sees the heap. */
const CARD = 0x7000;

function opened(register: (bytes: number) => void = () => {}) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 3 });
  const calls: string[] = [];
  const driver = {
    register({ byteLength }: Uint8Array) {
      calls.push(`register ${byteLength / 65_536}`);
      register(byteLength);
      return { address: 0x5000, onDevice: CARD };
    },
    unregister: (address: number) => calls.push(`unregister ${address.toString(16)}`),
  };
  const rows = new HeapRows(driver as unknown as CudaDriver, () => memory.buffer);
  return { memory, calls, rows };
}

describe('HeapRows', () => {
  it('gives the address of rows in the heap, which it makes readable once', () => {
    const { memory, calls, rows } = opened();
    expect(rows.addressOf(new Float32Array(memory.buffer, 64, 10))).to.equal(CARD + 64);
    expect(rows.addressOf(new Float32Array(memory.buffer, 128, 2))).to.equal(CARD + 128);
    expect(calls).to.deep.equal(['register 1']);
  });

  it('leaves rows elsewhere to be copied', () => {
    const { calls, rows } = opened();
    expect(rows.addressOf(new Float32Array(10))).to.equal(undefined);
    expect(calls).to.deep.equal([]);
  });

  it('makes the heap readable again when it has grown', () => {
    const { memory, calls, rows } = opened();
    const before = new Float32Array(memory.buffer, 64, 10);
    rows.addressOf(before);
    memory.grow(2);
    expect(rows.addressOf(before)).to.equal(undefined);
    expect(rows.addressOf(new Float32Array(memory.buffer, 64, 10))).to.equal(CARD + 64);
    expect(calls).to.deep.equal(['register 1', 'unregister 5000', 'register 3']);
  });

  it('asks a driver that refuses only once', () => {
    const { memory, calls, rows } = opened(() => {
      throw new CudaError('cuMemHostRegister_v2', 'CUDA_ERROR_NOT_SUPPORTED');
    });
    for (let i = 0; i < 2; i++) expect(rows.addressOf(new Float32Array(memory.buffer, 64, 10))).to.equal(undefined);
    expect(calls).to.deep.equal(['register 1']);
  });
});
