import { run } from '../../src/cli/run.ts';

export type CliRun = { readonly code: number; readonly out: string; readonly err: string };

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `tickmark` in this process with these environment variables, then restores the environment and the handlers of signals. */
export async function cliRun(env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<CliRun> {
  const before = { ...process.env };
  for (const name of ['DATA_DIR', 'MODELS_DIR', 'MONGODB_URI', 'MODEL']) delete process.env[name];
  Object.assign(process.env, env);
  const handlers = SIGNALS.map((signal) => process.listeners(signal));
  let [out, err] = ['', ''];
  try {
    const code = await run(argv, { out: (text) => void (out += text), err: (text) => void (err += text) });
    return { code, out, err };
  } finally {
    SIGNALS.forEach((signal, at) => {
      for (const handler of process.listeners(signal)) if (!handlers[at].includes(handler)) process.off(signal, handler);
    });
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
