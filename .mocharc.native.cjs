const { existsSync } = require('node:fs');
const options = require('./.mocharc.cjs');

/** Tests that depend on the version of Node.js or on the backend; `.ci/run` runs them on another Node.js with native TensorFlow. */
const spec = [
  // Native add-ons: SQLite and argon2, and the driver of MongoDB.
  'test/contracts/accountStore.test.ts',
  'test/contracts/counters.test.ts',
  'test/contracts/trackRecord.test.ts',
  'test/e2e/accounts.test.ts',
  // Kernels, networks and training.
  'test/contracts/fusedLstm.test.ts',
  'test/contracts/fusedLstm.native.test.ts',
  'test/e2e/nativeParity.test.ts',
  'test/e2e/realTicks.test.ts',
  'test/e2e/train.test.ts',
  'test/integration/runtime',
  'test/integration/training',
  'test/unit/forecast',
  'test/unit/inference',
  'test/unit/model',
  'test/unit/native',
  'test/unit/runtime',
  // The image contains native TensorFlow if the machine has it.
  'test/e2e/imageSteps.test.ts',
  'test/integration/dockerfiles.test.ts',
  // Sockets, signals and child processes.
  'test/e2e/inferenceProcess.test.ts',
  'test/e2e/mainJob.test.ts',
  'test/e2e/sharedInference.test.ts',
  'test/e2e/unhandledErrors.test.ts',
  'test/e2e/workers.test.ts',
  'test/http/bodies.test.ts',
  'test/http/hostile.test.ts',
  'test/http/slowCallers.test.ts',
  'test/integration/childHost.test.ts',
];
for (const path of spec) if (!existsSync(path)) throw new Error(`${path} does not exist`);

module.exports = { ...options, extension: ['test.ts'], recursive: true, spec };
