import { expect } from 'chai';
import { TRACE_PACKAGES } from '../../../../src/core/observability/openTracer.ts';
import { requireTracePackages } from '../../../../src/service/app/openTraces.ts';

const wanted = { endpoint: 'http://127.0.0.1:4318', fraction: 1 };
const missing =
  (...names: readonly string[]) =>
  (name: string) => {
    if (names.includes(name)) throw new Error(`Cannot find package ${name}`);
    return `file:///${name}`;
  };

describe('requireTracePackages', () => {
  for (const name of TRACE_PACKAGES)
    it(`refuses traces without ${name}, and says what to do`, () => {
      expect(() => requireTracePackages(wanted, missing(name)))
        .to.throw(`leaves out: ${name}. Install all packages (npm ci --omit=dev), or leave OTEL_EXPORTER_OTLP_ENDPOINT empty.`)
        .with.property('code', 'settings.invalid');
    });

  it('names all that are missing', () => {
    expect(() => requireTracePackages(wanted, missing(...TRACE_PACKAGES))).to.throw(TRACE_PACKAGES.join(', '));
  });

  it('needs no package without an endpoint, and accepts those of this checkout', () => {
    requireTracePackages({ ...wanted, endpoint: '' }, missing(...TRACE_PACKAGES));
    requireTracePackages(wanted);
  });
});
