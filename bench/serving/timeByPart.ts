/** Output of the V8 sampling profiler. */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
};

export const IDLE = 'idle';
const GARBAGE = 'garbage collection';
const ANSWERS_OUT = 'writing answers (system call)';
const ROWS_OUT = 'writing rows or logits to the other process (system call)';
const KERNEL = 'LSTM and attention (WebAssembly)';
const NATIVE = 'outside JavaScript: reading sockets, parsing HTTP, timers';
const OTHER = 'other';

const SPECIAL: Readonly<Record<string, string>> = { '(idle)': IDLE, '(garbage collector)': GARBAGE, '(program)': NATIVE };
/** Node.js functions without a file that are system calls. */
const WRITES = new Set(['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString']);

/** Parts by file URL; the first match counts. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^wasm:/, KERNEL],
  [/\/src\/engine\/model\//, 'trunk and heads'],
  [/\/src\/engine\/runtime\/|\/node_modules\/@tensorflow\/|\/\.native\//, 'tensors and kernels of TensorFlow.js'],
  [/\/src\/engine\/features\//, 'features'],
  [/\/src\/engine\/rules\//, 'rules'],
  [/\/src\/ticks\//, 'parsing ticks'],
  [/\/src\/contract\/write/, 'writing the answer as JSON'],
  [/\/src\/service\/live\//, 'series, outcomes and track record'],
  [/\/node_modules\/ws\//, 'frames of the WebSocket'],
  [/\/src\/service\/accounts\//, 'key and limits'],
  [/\/src\/core\/observability\/|\/node_modules\/(?:pino|prom-client|sonic-boom)\//, 'log line and metrics'],
  [/\/src\/engine\/inference\/|\/inferenceProcess\.[jt]s/, 'batches and frames of the inference process'],
  [/\/src\/engine\/forecast\//, 'threshold, decision, drift'],
  [/\/src\/service\/http\/|\/src\/(?:contract|core|service\/app)\//, 'HTTP code of tickmark'],
  [
    /\/node_modules\/(?:@koa|koa|koa-compose|delegates|accepts|statuses|on-finished|cookies|path-to-regexp|type-is|vary)\b/,
    'Koa and its router',
  ],
  [/^node:(?:_http|internal\/http|internal\/url|querystring)/, 'HTTP of Node.js'],
  [/^node:/, 'streams, timers and events of Node.js'],
];

/**
 * Microseconds of a profile by part of the program. A sample belongs to the innermost function that has a file; system calls are listed
 * separately.
 */
export function timeByPart({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const partOf = new Map<number, string>();
  const find = (id: number): string => {
    const leaf = byId.get(id)?.callFrame;
    const name = leaf?.functionName ?? '';
    if (Object.hasOwn(SPECIAL, name)) return SPECIAL[name];
    const urls: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) urls.push(byId.get(at)?.callFrame.url ?? '');
    if (WRITES.has(name)) return urls.some((url) => /\/src\/engine\/inference\/|\/inferenceProcess\./.test(url)) ? ROWS_OUT : ANSWERS_OUT;
    const url = urls.find((each) => each !== '') ?? '';
    return PARTS.find(([pattern]) => pattern.test(url))?.[1] ?? OTHER;
  };
  const times = new Map<string, number>();
  samples.forEach((id, i) => {
    const part = partOf.get(id) ?? find(id);
    partOf.set(id, part);
    times.set(part, (times.get(part) ?? 0) + timeDeltas[i]);
  });
  return times;
}
