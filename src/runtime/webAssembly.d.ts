/** The part of WebAssembly's JavaScript interface that the kernels use: Node's types have none of it, the DOM's would let browser names pass. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class CompileError extends Error {}
  type Exports = Readonly<Record<string, unknown>>;
  function validate(bytes: Uint8Array): boolean;
  function instantiate(
    bytes: Uint8Array,
    imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<{ readonly instance: { readonly exports: Exports } }>;
}
