import { setFlagsFromString } from 'node:v8';

/** Node.js 20 has relaxed SIMD behind a flag; later versions enable it. Call it before the module is instantiated. */
export function enableRelaxedSimd(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--experimental-wasm-relaxed-simd');
}
