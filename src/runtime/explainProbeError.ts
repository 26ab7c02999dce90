const MAX_SHOWN = 300;

/** Messages of loaders and TensorFlow, and their meaning for an operator. */
const KNOWN: readonly { readonly says: RegExp; readonly means: string }[] = [
  {
    says: /invalid ELF header|file too short|undefined symbol|cannot open shared object|symbol lookup error|wrong ELF class/i,
    means: 'a library or the addon is damaged, incomplete or of another version; run npm run setup:native again',
  },
  {
    says: /NODE_MODULE_VERSION|did not self-register|different Node\.js version/i,
    means: 'the addon was built for another Node.js; run npm run setup:native again',
  },
  {
    says: /out of memory|\bOOM\b|RESOURCE_?EXHAUSTED|CUDA_ERROR_OUT_OF_MEMORY/i,
    means: 'the device has too little free memory; stop other programs that use it, or set RUNTIME_BACKEND to native or wasm',
  },
  {
    says: /driver version is insufficient|CUDA_ERROR_NO_DEVICE|failed call to cuInit|no kernel image/i,
    means: 'the NVIDIA driver does not fit these CUDA libraries or this GPU; install a newer driver',
  },
];

/** One line for an operator: the meaning if it is known, then the first line of the error. */
export function explainProbeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const said = (message.split('\n').find((line) => line.trim() !== '') ?? 'an error without a message').trim().slice(0, MAX_SHOWN);
  const known = KNOWN.find(({ says }) => says.test(message));
  return known === undefined ? said : `${known.means} (${said})`;
}
