import type { Settings } from '../../../core/config/settings.ts';
import type { Clock } from '../../../core/Clock.ts';
import type { Logger } from '../../../core/Logger.ts';
import type { Metrics } from '../../../core/observability/Metrics.ts';
import type { WorkerLink } from '../cluster/WorkerLink.ts';
import type { openTraces } from '../openTraces.ts';
import type { OpenedParts } from './OpenedParts.ts';

/** What every part of a service is made with. */
export type ServiceBasics = {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined without a metrics port. */
  readonly metrics: Metrics | undefined;
  readonly tracer: Awaited<ReturnType<typeof openTraces>>;
  /** The link to the primary process; only in a worker process. */
  readonly link: WorkerLink | undefined;
  readonly opened: OpenedParts;
};
