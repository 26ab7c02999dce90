/** What RUNTIME_BACKEND and `--device` accept: `auto`, or a backend by name (BackendName), best first. */
export const BACKEND_CHOICES = ['auto', 'cuda', 'tensorflow-cuda', 'native', 'wasm', 'cpu'] as const;
export type BackendChoice = (typeof BACKEND_CHOICES)[number];
