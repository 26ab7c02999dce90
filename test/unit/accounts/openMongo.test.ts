import { inspect } from 'node:util';
import { expect } from 'chai';
import { openMongo } from '../../../src/accounts/openMongo.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';

describe('openMongo', () => {
  for (const [what, uri] of [
    ['no server', 'mongodb://trader:s3cr3t-word@127.0.0.1:1/accounts'],
    ['no MongoDB URI', 'postgres://trader:s3cr3t-word@127.0.0.1/accounts'],
    ['a URI that cannot be read', 'mongodb://trader:s3cr3t-word@@@/?x'],
  ] as const)
    it(`says that the store is unavailable where there is ${what}, soon and without the secret`, async function () {
      this.timeout(20_000);
      const failure = await openMongo(uri, { answerMs: 300 }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(ServiceError).with.property('code', 'store.unavailable');
      expect(inspect(failure, { depth: 10, showHidden: true }))
        .to.include('MONGODB_URI')
        .and.not.include('s3cr3t');
    });
});
