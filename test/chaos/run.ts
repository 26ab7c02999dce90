import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Chaos } from './Chaos.ts';
import type { Fault } from './Fault.ts';
import { ALERT_FAULTS } from './faults/alertFaults.ts';
import { CALLER_FAULTS } from './faults/callerFaults.ts';
import { INFERENCE_FAULTS } from './faults/inferenceFaults.ts';
import { LIVE_FAULTS } from './faults/liveFaults.ts';
import { MACHINE_FAULTS } from './faults/machineFaults.ts';

const USAGE = 'npm run chaos -- [--seed N] [--seconds 180] [--workers N] [--backend wasm] [--faults NAME,NAME] [--plant wrong]';
const ALL: readonly Fault[] = [...INFERENCE_FAULTS, ...MACHINE_FAULTS, ...CALLER_FAULTS, ...LIVE_FAULTS, ...ALERT_FAULTS];
/** Extra time of a run: for a started fault, a recovery and the shutdown. */
const OVERTIME_S = 90;

class UsageError extends Error {}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} must be a whole number from ${least}; it is ${text}.`);
}

function chooseFaults(names: string | undefined, workers: number, hasInference: boolean): Fault[] {
  const unknown = names?.split(',').find((name) => !ALL.some((fault) => fault.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no fault ${unknown}. Faults: ${ALL.map(({ name }) => name).join(', ')}.`);
  const chosen = ALL.filter(
    (fault) =>
      (names?.split(',').includes(fault.name) ?? true) &&
      (workers > 1 || fault.needsWorkers !== true) &&
      (hasInference || !INFERENCE_FAULTS.includes(fault)),
  );
  if (chosen.length === 0) throw new UsageError('None of these faults fits: worker faults need --workers 2.');
  return chosen;
}

async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const options = { seed: text, seconds: text, workers: text, backend: text, faults: text, plant: text };
  const { values } = parseArgs({ options });
  if (!existsSync('/proc/self/stat')) throw new UsageError('The run reads /proc: it needs Linux.');
  const seed = wholeNumber('seed', values.seed ?? `${Date.now() % 100_000}`, 0);
  const seconds = wholeNumber('seconds', values.seconds ?? '180', 15);
  // By the seed: one service process, two workers, two workers without an inference process.
  const workers = wholeNumber('workers', values.workers ?? `${1 + (seed % 2)}`, 1);
  if (values.plant !== undefined && values.plant !== 'wrong') throw new UsageError('--plant accepts only: wrong.');
  const hasInference = seed % 4 !== 3;
  const how = hasInference ? 'an inference process' : 'the network in them';
  process.stdout.write(`chaos: seed ${seed}, ${seconds} s, ${workers} service process${workers > 1 ? 'es' : ''} with ${how}\n`);
  const faults = chooseFaults(values.faults, workers, hasInference);
  const chaos = new Chaos({
    seed,
    seconds,
    workers,
    hasInference,
    backend: values.backend ?? 'auto',
    faults,
    plantsWrong: values.plant === 'wrong',
  });
  process.once('exit', () => chaos.close());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const tooLong = setTimeout(
    () => {
      chaos.say(`the run did not end within ${OVERTIME_S} s after its time`);
      process.exit(1);
    },
    1000 * (seconds + OVERTIME_S),
  );
  await chaos.run();
  clearTimeout(tooLong);
  const { ledger } = chaos;
  const broken = ledger.brokenPromises;
  for (const line of ledger.lines()) process.stdout.write(`${line}\n`);
  const counts = `${ledger.answers.toLocaleString('en')} answers, ${ledger.broken('right')} wrong, ${chaos.faults} faults`;
  process.stdout.write(`chaos: seed ${seed}, ${seconds} s, ${counts}, ${broken.length} broken promises\n`);
  return broken.length === 0 ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(
    `${error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') ? `${(error as Error).message} ${USAGE}` : (error as Error).stack}\n`,
  );
  process.exit(1);
}
