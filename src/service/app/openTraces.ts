import type { Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { packageVersion } from '../../core/packageRoot.ts';
import { openTracer, type OpenTracer } from '../../core/observability/openTracer.ts';

/** The tracer of OTEL_EXPORTER_OTLP_ENDPOINT; undefined, and nothing is loaded, if it is empty. */
export async function openTraces(
  { endpoint, fraction }: Settings['traces'],
  { clock, logger }: { readonly clock: Clock; readonly logger?: Logger },
): Promise<OpenTracer | undefined> {
  if (endpoint === '') return undefined;
  return openTracer({
    ...{ endpoint, fraction, clock, version: packageVersion() },
    onCollector: ({ isUp, reason }) => {
      if (isUp) logger?.info('traces are sent again');
      else logger?.warn('traces are dropped until the collector of OTEL_EXPORTER_OTLP_ENDPOINT answers', { reason });
    },
  });
}
