import { writeFileSync } from 'node:fs';
import * as path from 'node:path';

const LIBRARIES = ['tensorflow_cc', 'tensorflow_framework'];
const EMPTY = 'empty.c';

/**
 * Writes what node-gyp builds the addon by, in place of the package's own file. Differences: the addon is linked against empty libraries of the
 * right names, since resolving its 55 symbols in the real one of 800 MB takes minutes and the loader does it anyway; and all paths are relative,
 * since node-gyp passes absolute ones on unquoted.
 */
export function writeBuild(folder: string): void {
  const stubs = LIBRARIES.map((name) => ({
    target_name: name,
    type: 'shared_library',
    // The file's name becomes the library's: what the loader will look for.
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
    // Some linkers drop a library that resolves nothing.
    ldflags: ['-Wl,--no-as-needed'],
    libraries: ['-Wl,-rpath,\\$$ORIGIN/../../deps/lib'],
  };
  writeFileSync(path.join(folder, EMPTY), '');
  writeFileSync(path.join(folder, 'binding.gyp'), JSON.stringify({ targets: [...stubs, addon] }, undefined, 2));
}
