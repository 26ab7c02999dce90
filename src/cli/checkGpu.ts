import { processEnvironment } from '../config/processEnvironment.ts';
import { runProgram } from '../native/runProgram.ts';
import type { Check } from './Check.ts';

const QUERY = ['--query-gpu=name,memory.total,memory.free,driver_version', '--format=csv,noheader,nounits'];

/** The NVIDIA GPUs that the driver shows: name, memory, driver. The service does not need one. */
export async function checkGpu(program = 'nvidia-smi', args: readonly string[] = QUERY): Promise<Check> {
  const { code, output } = await runProgram(program, args, { environment: processEnvironment() });
  const gpus = output
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 4);
  if (code === 0 && gpus.length > 0) {
    const texts = gpus.map(([name, total, free, driver]) => `${name}, ${free} MiB free of ${total} MiB, driver ${driver}`);
    return { name: 'gpu', verdict: 'works', detail: texts.join('; ') };
  }
  if (code === null) return { name: 'gpu', verdict: 'absent', detail: 'no NVIDIA driver is installed (there is no nvidia-smi)' };
  return { name: 'gpu', verdict: 'absent', detail: `nvidia-smi shows no GPU: ${output.trim().split('\n')[0] ?? ''}` };
}
