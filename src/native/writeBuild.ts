import { writeFileSync } from 'node:fs';
import * as path from 'node:path';

const LIBRARIES = ['tensorflow_cc', 'tensorflow_framework'];
const EMPTY = 'empty.c';

/**
 * Writes the build file for node-gyp, which replaces the package's own. Differences: the addon is linked against empty libraries with the
 * right names, because resolving its 55 symbols in the real 800 MB library takes minutes and the loader does it anyway; and all paths are
 * relative, because node-gyp does not quote absolute paths.
 */
export function writeBuild(folder: string): void {
  const stubs = LIBRARIES.map((name) => ({
    target_name: name,
    type: 'shared_library',
    // The file name becomes the library name that the loader searches for.
    product_prefix: 'lib',
    product_extension: 'so.2',
    sources: [EMPTY],
  }));
  const addon = {
    target_name: 'tfjs_binding',
    sources: ['binding/tfjs_backend.cc', 'binding/tfjs_binding.cc'],
    include_dirs: ['..', 'deps/include'],
    defines: ['NAPI_VERSION=8'],
    dependencies: LIBRARIES,
    // Some linkers drop a library that resolves no symbol.
    ldflags: ['-Wl,--no-as-needed'],
    libraries: ['-Wl,-rpath,\\$$ORIGIN/../../deps/lib'],
  };
  writeFileSync(path.join(folder, EMPTY), '');
  writeFileSync(path.join(folder, 'binding.gyp'), JSON.stringify({ targets: [...stubs, addon] }, undefined, 2));
}
