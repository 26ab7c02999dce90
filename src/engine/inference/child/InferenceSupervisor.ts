import { ServiceError } from '../../../core/ServiceError.ts';
import { Supervisor, type SupervisorDeps } from '../../../core/Supervisor.ts';
import type { Hello } from './frames.ts';
import type { InferenceProcess } from './InferenceProcess.ts';
import { NetworkClient } from './NetworkClient.ts';

export type InferenceOptions = Pick<SupervisorDeps<Hello, NetworkClient>, 'name' | 'clock' | 'logger' | 'onUp'> & {
  readonly open: () => InferenceProcess;
  /** A process that is not ready after this time is killed. */
  readonly startMs: number;
  readonly prepare?: (client: NetworkClient) => Promise<Hello>;
};

/** No batch takes this long: a process that is silent for this time hangs. */
const SILENCE_MS = 5000;

/** Restarts the inference process, or the connection to one. */
export class InferenceSupervisor extends Supervisor<Hello, NetworkClient> {
  constructor({ open, prepare, startMs, ...deps }: InferenceOptions) {
    const start = (): NetworkClient => new NetworkClient(open(), deps.clock, prepare);
    super({ ...deps, start, readyMs: startMs, silenceMs: SILENCE_MS });
  }

  /** Throws ServiceError `runtime.refused` where no backend opens, or the process does not come up. */
  override async start(): Promise<Hello> {
    try {
      return await super.start();
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new ServiceError('runtime.refused', `The inference process did not start: ${reason}.`, { cause: error });
    }
  }
}
