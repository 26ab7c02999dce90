import type { Clock } from '../../core/Clock.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Logger } from '../../core/Logger.ts';
import type { Metrics } from '../../core/observability/Metrics.ts';
import type { OpenTracer } from '../../core/observability/openTracer.ts';
import type { WorkerLink } from './cluster/WorkerLink.ts';

/** What every part of a service is made with. */
export type ServiceBasics = {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined without a metrics port. */
  readonly metrics: Metrics | undefined;
  readonly tracer: OpenTracer | undefined;
  /** The link to the primary process; only in a worker process. */
  readonly link: WorkerLink | undefined;
  readonly opened: OpenedParts;
};

/** The parts that are open, which close in reverse order of opening. */
export class OpenedParts {
  readonly #closes: (() => unknown)[] = [];

  /** Adds a part, and returns it. */
  add<Part extends { close(): unknown } | undefined>(part: Part): Part {
    if (part !== undefined) this.#closes.push(() => part.close());
    return part;
  }

  /** Each is closed once. Throws the error of the first that fails. */
  async close(): Promise<void> {
    for (const close of this.#closes.splice(0).toReversed()) await close();
  }
}
