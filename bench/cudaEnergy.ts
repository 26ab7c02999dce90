import { spawn } from 'node:child_process';
import type { BenchRow } from './Bench.ts';

const SECONDS = 3;
/** The power that nvidia-smi shows is a mean over the time before. */
const SETTLES_MS = 1_000;

/** Energy of the card a window, from the power that nvidia-smi shows while `run` repeats; none without nvidia-smi. `rows`: windows of a call. */
export async function measureEnergy(what: string, rows: number, run: () => unknown): Promise<BenchRow[]> {
  const smi = spawn('nvidia-smi', ['--query-gpu=power.draw', '--format=csv,noheader,nounits', '--id=0', '--loop-ms=100']);
  const seen: { readonly watts: number; readonly atMs: number }[] = [];
  smi.stdout.on('data', (data: Buffer) =>
    seen.push({ watts: Number.parseFloat(String(data).trim().split('\n').at(-1)!), atMs: performance.now() }),
  );
  const failed = new Promise<boolean>((resolve) => smi.on('error', () => resolve(true)).on('spawn', () => resolve(false)));
  if (await failed) return [];
  const startMs = performance.now();
  let calls = 0;
  while (performance.now() - startMs < SECONDS * 1000) {
    run();
    calls++;
    // Lets the power be read.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const seconds = (performance.now() - startMs) / 1000;
  smi.kill();
  const watts = seen.filter(({ watts: read, atMs }) => Number.isFinite(read) && atMs - startMs > SETTLES_MS).map(({ watts: read }) => read);
  if (watts.length === 0) return [];
  const mean = watts.reduce((sum, value) => sum + value, 0) / watts.length;
  return [
    { what: `${what}: power of the card`, value: mean, unit: 'W' },
    { what: `${what}: energy of the card`, value: (mean * seconds * 1e6) / (calls * rows), unit: 'J a million windows' },
  ];
}
