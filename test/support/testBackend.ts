import type { BackendName } from '../../src/engine/runtime/Runtime.ts';

/** Native TensorFlow where `.ci/run` has set it up (`npm run test:native`), which `auto` never chooses. */
export const TEST_BACKEND: BackendName | 'auto' = process.env['REQUIRE_NATIVE'] === '1' ? 'native' : 'auto';
