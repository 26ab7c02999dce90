import { createRequire } from 'node:module';
import { ServiceError } from '../../core/ServiceError.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { packageVersion } from '../../core/packageRoot.ts';
import { openTracer, TRACE_PACKAGES, type OpenTracer } from '../../core/observability/openTracer.ts';

/** An installation may leave out the packages of traces. Throws ServiceError `settings.invalid` if they are needed and missing. */
export function requireTracePackages(
  { endpoint }: Settings['traces'],
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): void {
  if (endpoint === '') return;
  const missing = TRACE_PACKAGES.filter((name) => {
    try {
      return resolve(name) === '';
    } catch {
      return true;
    }
  });
  if (missing.length > 0)
    throw new ServiceError(
      'settings.invalid',
      `OTEL_EXPORTER_OTLP_ENDPOINT needs packages that this installation leaves out: ${missing.join(', ')}. Install all packages (npm ci --omit=dev), or leave OTEL_EXPORTER_OTLP_ENDPOINT empty.`,
    );
}

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
