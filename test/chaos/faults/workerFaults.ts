import { between, killProcess, pick, sleep, type Fault } from '../Fault.ts';
import { signalProcess } from '../Service.ts';

const killed: Fault = {
  name: 'worker-killed',
  needsWorkers: true,
  allows: ['cut', 'restart'],
  async run({ service }, random) {
    const pid = pick(service.processes().services, random)?.pid;
    await killProcess(pid);
    return `process ${pid}`;
  },
};

const stopped: Fault = {
  name: 'worker-stopped',
  needsWorkers: true,
  // Meanwhile it is given connections; it may be replaced.
  allows: ['cut', 'delay', 'restart'],
  async run({ service }, random) {
    const ms = between(2000, 6000, random);
    const pid = pick(service.processes().services, random)?.pid;
    signalProcess(pid, 'SIGSTOP');
    await sleep(ms);
    signalProcess(pid, 'SIGCONT');
    return `process ${pid} for ${(ms / 1000).toFixed(1)} s`;
  },
};

export const WORKER_FAULTS: readonly Fault[] = [killed, stopped];
