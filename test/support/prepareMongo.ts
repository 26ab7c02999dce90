import { mongoProgram } from './mongoServer.ts';

/** Builds the server that the tests use if there is no mongod: `node --import tsx test/support/prepareMongo.ts`. */
const { name, file } = await mongoProgram();
process.stdout.write(`${name}: ${file}\n`);
