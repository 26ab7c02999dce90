/** The used part of WebAssembly's JavaScript interface. Node's types do not declare it, and the DOM types would allow browser names. */
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
