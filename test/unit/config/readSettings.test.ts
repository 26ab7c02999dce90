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
