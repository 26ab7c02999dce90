import { mongoProgram } from './mongoServer.ts';

/** Builds the server that tests run against, where there is no mongod: `node --import tsx test/support/prepareMongo.ts`. */
const { name, file } = await mongoProgram();
process.stdout.write(`${name}: ${file}\n`);
