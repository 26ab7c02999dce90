import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { ROOT } from '../../support/tickmarkProcess.ts';
import { between, killProcess, pick, sleep, within, type Fault, type World } from '../Fault.ts';
import { signalProcess } from '../Service.ts';

/** Time limits in which readiness reflects a process that has ended, and one that hangs. */
const END_SEEN_MS = 1000;
const HANG_SEEN_MS = 10_000;
const ARRIVES_MS = 15_000;

async function checkReadiness({ callers, ledger, allowances }: World, ms: number, what: string): Promise<void> {
  const isSeen = await within(ms, async () => (await callers.ready()) === 503, allowances);
  ledger.check('ready', isSeen ? undefined : `/health/ready was never 503 within ${ms} ms after ${what}`);
}

const killed: Fault = {
  name: 'inference-killed',
  allows: ['restart'],
  async run(world, random) {
    const pid = pick(world.service.inferencePids(), random);
    await killProcess(pid);
    await checkReadiness(world, END_SEEN_MS, 'kill -9 of the inference process');
    return `process ${pid}`;
  },
};

const killedTwice: Fault = {
  name: 'inference-killed-twice',
  allows: ['restart'],
  async run({ service }, random) {
    const first = pick(service.inferencePids(), random);
    await killProcess(first);
    const next = (): number | undefined => service.inferencePids().find((pid) => pid !== first);
    await within(12_000, () => next() !== undefined);
    await sleep(between(0, 800, random));
    const second = next();
    await killProcess(second);
    return `processes ${first} and ${second}`;
  },
};

/** A stopped process neither answers nor exits. */
const stopped: Fault = {
  name: 'inference-stopped',
  allows: ['restart'],
  async run(world, random) {
    const ms = random.uniform() < 0.4 ? between(3000, 6000, random) : between(HANG_SEEN_MS + 1000, 2 * HANG_SEEN_MS, random);
    const pid = pick(world.service.inferencePids(), random);
    signalProcess(pid, 'SIGSTOP');
    const fromMs = performance.now();
    if (ms > HANG_SEEN_MS) await checkReadiness(world, HANG_SEEN_MS, 'kill -STOP of the inference process');
    await sleep(Math.max(0, fromMs + ms - performance.now()));
    signalProcess(pid, 'SIGCONT');
    return `process ${pid} for ${(ms / 1000).toFixed(1)} s`;
  },
};

/** Adds a copy of the shipped version with another id and the same answers. It is renamed into place at once, as an operator should do it. */
function placeVersion({ service }: World, id: string, spoil: (folder: string) => void): () => void {
  const shipped = path.join(ROOT, 'models');
  const from = path.join(shipped, readdirSync(shipped).sort().at(-1)!);
  const unfinished = path.join(service.folder, `unfinished-${id}`);
  cpSync(from, unfinished, { recursive: true });
  const manifest = path.join(unfinished, 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), id }));
  spoil(unfinished);
  mkdirSync(service.modelsDir, { recursive: true });
  const folder = path.join(service.modelsDir, id);
  renameSync(unfinished, folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

const arrives: Fault = {
  name: 'version-arrives',
  allows: ['restart'],
  async run(world, random) {
    const { service, callers, windows, ledger, allowances } = world;
    const model = `chaos-${random.integer(1e9)}`;
    const kill = (): Promise<void> => killProcess(pick(service.inferencePids(), random));
    const order = pick(['killed before', 'killed after', 'not killed'], random);
    if (order === 'killed before') {
      await kill();
      await sleep(between(0, 1000, random));
    }
    const remove = placeVersion(world, model, () => {});
    if (order === 'killed after') {
      await sleep(between(0, 1500, random));
      await kill();
    }
    const isAnswering = async (): Promise<boolean> => {
      for (let i = 0; i < 2 * service.workers; i++)
        if (!(await callers.forecast(windows[i], { model, isFresh: true, isDetailed: true }))) return false;
      return true;
    };
    const isServed = await within(ARRIVES_MS, isAnswering, allowances);
    ledger.check('versions', isServed ? undefined : `${model} was not served ${ARRIVES_MS} ms after it was added`);
    remove();
    return `${model}, inference process ${order}`;
  },
};

const corrupt: Fault = {
  name: 'version-corrupt',
  isLight: true,
  async run(world, random) {
    const model = `chaos-${random.integer(1e9)}`;
    const remove = placeVersion(world, model, (folder) => truncateSync(path.join(folder, 'weights.bin'), 1 + random.integer(50_000)));
    await sleep(between(2000, 4000, random));
    const isServed = await world.callers.forecast(world.windows[0], { model });
    world.ledger.check('versions', isServed ? `${model} is served, with truncated weights` : undefined);
    remove();
    return model;
  },
};

export const INFERENCE_FAULTS: readonly Fault[] = [killed, killedTwice, stopped, arrives, corrupt];
