import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { readSettings } from '../../../src/config/settings.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';

describe('password hashes at once', () => {
  const concurrency = (env: Record<string, string>): number => readSettings(env).passwordHash.concurrency;

  it('are by default one less than the smaller of processors and threads, so that one thread stays free', () => {
    expect(concurrency({})).to.equal(Math.max(1, Math.min(availableParallelism(), 4) - 1));
    expect(concurrency({ UV_THREADPOOL_SIZE: '2' })).to.equal(1);
    expect(concurrency({ PASSWORD_HASH_CONCURRENCY: '7', UV_THREADPOOL_SIZE: '8' })).to.equal(7);
  });

  it('must be fewer than the threads', () => {
    for (const env of [{ PASSWORD_HASH_CONCURRENCY: '4' }, { PASSWORD_HASH_CONCURRENCY: '8', UV_THREADPOOL_SIZE: '8' }])
      expect(() => readSettings(env))
        .to.throw(ServiceError, /^PASSWORD_HASH_CONCURRENCY must be below UV_THREADPOOL_SIZE, [48]; it is '?"?[48]/)
        .with.property('code', 'settings.invalid');
  });
});

describe('limits of forecasts', () => {
  const quotas = (env: NodeJS.ProcessEnv): number[] => {
    const { forecastsPerMinute, forecastsPerMinutePerAccount } = readSettings(env).limits;
    return [forecastsPerMinute, forecastsPerMinutePerAccount];
  };

  it('are for an account four times those of a key, or what the setting says', () => {
    expect(quotas({})).to.deep.equal([6000, 24_000]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE: '50' })).to.deep.equal([50, 200]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE: '0' })).to.deep.equal([0, 0]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE: '50', LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT: '70' })).to.deep.equal([50, 70]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT: '0' })).to.deep.equal([6000, 0]);
  });
});

describe('the cost of a password hash', () => {
  it('has a bound of memory times passes', () => {
    expect(readSettings({ PASSWORD_HASH_MEMORY_KIB: '1048576', PASSWORD_HASH_PASSES: '4' }).passwordHash.passes).to.equal(4);
    expect(() => readSettings({ PASSWORD_HASH_MEMORY_KIB: '1048576', PASSWORD_HASH_PASSES: '5' })).to.throw(
      /PASSWORD_HASH_PASSES times PASSWORD_HASH_MEMORY_KIB must be at most 4194304/,
    );
  });
});

describe('MODELS_DIR', () => {
  it('must be a folder, or not there yet', () => {
    expect(() => readSettings({ MODELS_DIR: '/dev/null' }))
      .to.throw(ServiceError, 'MODELS_DIR must be a folder; it is "/dev/null".')
      .with.property('code', 'settings.invalid');
    for (const MODELS_DIR of ['/nowhere/models', '/tmp']) expect(readSettings({ MODELS_DIR }).modelsDir).to.equal(MODELS_DIR);
  });
});

describe('traces', () => {
  it('need headers as name=value, and do not show a wrong one', () => {
    for (const headers of ['', 'a=b', 'Authorization=Basic%20eA==, x-team = desk,', 'a=b;p=1'])
      expect(() => readSettings({ OTEL_EXPORTER_OTLP_HEADERS: headers }), headers).to.not.throw();
    for (const headers of ['zzz', 'a=b,zzz', '=zzz', 'zzz=', 'a b=zzz', 'zzz=100%'])
      expect(() => readSettings({ OTEL_EXPORTER_OTLP_HEADERS: headers }), headers)
        .to.throw(ServiceError, /^OTEL_EXPORTER_OTLP_HEADERS must list headers as name=value/)
        .with.property('message')
        .that.does.not.include('zzz');
  });

  it('are off without an endpoint, and record every request with one', () => {
    expect(readSettings({}).traces).to.deep.equal({ endpoint: '', fraction: 1 });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_SAMPLER_ARG: '0.05' };
    expect(readSettings(env).traces).to.deep.equal({ endpoint: 'http://127.0.0.1:4318', fraction: 0.05 });
  });

  it('need an http URL without a password, and a fraction from 0 to 1', () => {
    for (const endpoint of ['collector:4318', 'grpc://127.0.0.1:4317', 'not a URL'])
      expect(() => readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).to.throw(
        ServiceError,
        /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/,
      );
    expect(() => readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@host:4318' }))
      .to.throw(ServiceError, /without a password/)
      .with.property('message')
      .that.does.not.include('secret');
    for (const fraction of ['-1', '1.5', '2', 'all', '0x1', '.'])
      expect(() => readSettings({ OTEL_TRACES_SAMPLER_ARG: fraction })).to.throw(
        ServiceError,
        /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/,
      );
  });
});

describe('HOST_NAMES', () => {
  it('lists names without protocol and port, in any case, or *', () => {
    expect(readSettings({ HOST_NAMES: ' Desk.Example.com, ticks ,[fd00::1],*' }).hostNames).to.deep.equal([
      ...['desk.example.com', 'ticks', '[fd00::1]', '*'],
    ]);
    for (const name of ['https://desk.example.com', 'desk:8080', 'a b', 'fd00::1'])
      expect(() => readSettings({ HOST_NAMES: `ticks,${name}` }), name)
        .to.throw(ServiceError, 'HOST_NAMES must list host names without protocol and port')
        .with.property('code', 'settings.invalid');
  });
});
