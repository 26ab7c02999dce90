import { MongoClient } from 'mongodb';
import { openNamedStore } from '../support/openNamedStore.ts';
import { describeAccountStore } from './accountStore.ts';

const uri = process.env['MONGODB_URI'];
let databases = 0;

if (uri === undefined) {
  it('account store: MongoDB', function () {
    console.log('    skipped: MONGODB_URI is not set');
    this.skip();
  });
} else {
  describeAccountStore('MongoDB', async () => {
    const name = `tickmark_test_${process.pid}_${++databases}`;
    const place = new URL(uri);
    place.pathname = `/${name}`;
    return Promise.resolve({
      open: () => openNamedStore('mongodb', place.href),
      durable: { kind: 'mongodb' as const, place: place.href },
      dispose: async () => {
        const client = await new MongoClient(uri).connect();
        await client.db(name).dropDatabase();
        await client.close();
      },
    });
  });
}
