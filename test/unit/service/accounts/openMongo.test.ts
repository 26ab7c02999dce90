import { inspect } from 'node:util';
import { expect } from 'chai';
import { databaseOf, describeDatabase } from '../../../../src/service/accounts/mongoAddress.ts';
import { openMongo } from '../../../../src/service/accounts/openMongo.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';

describe('openMongo', () => {
  for (const [what, uri, code] of [
    ['no server', 'mongodb://trader:s3cr3t-word@127.0.0.1:1/accounts', 'store.unavailable'],
    ['no MongoDB URI', 'postgres://trader:s3cr3t-word@127.0.0.1/accounts', 'settings.invalid'],
    ['a URI that cannot be read', 'mongodb://trader:s3cr3t-word@@@/?x', 'settings.invalid'],
  ] as const)
    it(`throws ${code} with ${what}, in time and without the secret`, async function () {
      this.timeout(20_000);
      const failure = await openMongo(uri, { answerMs: 300 }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(ServiceError).with.property('code', code);
      expect(inspect(failure, { depth: 10, showHidden: true }))
        .to.include('MONGODB_URI')
        .and.not.include('s3cr3t');
    });
});

describe('databaseOf', () => {
  const cases: [uri: string, database: string][] = [
    ['mongodb://127.0.0.1:27017', 'tickmark'],
    ['mongodb://127.0.0.1:27017/', 'tickmark'],
    ['mongodb://127.0.0.1:27017/?replicaSet=rs0', 'tickmark'],
    ['mongodb://trader:p%2Fw@127.0.0.1/desk?authSource=admin', 'desk'],
    ['mongodb://a.example.com,b.example.com:27018,c.example.com/desk?replicaSet=rs0&tls=true', 'desk'],
    ['mongodb+srv://trader:word@cluster.example.mongodb.net/desk?retryWrites=true&w=majority', 'desk'],
    ['mongodb+srv://trader:word@cluster.example.mongodb.net/?appName=x', 'tickmark'],
  ];
  for (const [uri, database] of cases) it(`of ${uri} is ${database}`, () => expect(databaseOf(uri)).to.equal(database));
});

describe('describeDatabase', () => {
  const cases = {
    'mongodb://127.0.0.1': 'tickmark on 127.0.0.1',
    'mongodb://user:pass@db:27017/desk?tls=true': 'desk on db:27017',
    'mongodb://user:p%40ss@b:1,a:1/desk?authSource=admin': 'desk on a:1,b:1',
    'mongodb+srv://user:pass@cluster.example.net/desk': 'desk on cluster.example.net',
    'mongodb://[::1]:27017/desk': 'desk on [::1]:27017',
    'mongodb://user:p@ss@db/desk': 'desk on db',
    'mongodb://user:pa/ss@db/desk': 'of MONGODB_URI',
    pass: 'of MONGODB_URI',
  };
  for (const [uri, says] of Object.entries(cases))
    it(`of ${uri}`, () => expect(describeDatabase(uri)).to.equal(`MongoDB database ${says}`));
});
