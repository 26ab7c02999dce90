const { existsSync } = require('node:fs');
const options = require('./.mocharc.cjs');

/** Tests that depend on the version of Node.js or on the backend; `.ci/run` runs them on another Node.js with native TensorFlow. */
const spec = [
  // Native add-ons: SQLite and argon2, and the driver of MongoDB. One test of each; what is built on them depends on neither.
  'test/contracts/counters.test.ts',
  'test/unit/service/accounts/Argon2Hasher.test.ts',
  'test/unit/service/accounts/openSqliteStore.test.ts',
  // Kernels, networks and training on the backend.
  'test/contracts/fusedLstm.native.test.ts',
  'test/e2e/nativeParity.test.ts',
  'test/e2e/realTicks.test.ts',
  'test/integration/runtime',
  'test/integration/training/loop',
  'test/unit/engine/inference/openInProcessHost.test.ts',
  'test/unit/engine/model/modelFolder.test.ts',
  'test/unit/engine/model/network.test.ts',
  'test/unit/engine/runtime/nativeBackend.test.ts',
  'test/unit/engine/runtime/lstm',
  // Sockets, signals and child processes of Node.js.
  'test/e2e/unhandledErrors.test.ts',
  'test/e2e/workers.test.ts',
  'test/http/bodies.test.ts',
  'test/http/hostile.test.ts',
  'test/http/slowCallers.test.ts',
];
for (const path of spec) if (!existsSync(path)) throw new Error(`${path} does not exist`);

module.exports = { ...options, extension: ['test.ts'], recursive: true, spec };
