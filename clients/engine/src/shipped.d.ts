import type { VersionFiles } from './api.ts';

/** `bin/shippedVersion.js` writes the module, in the package and in the console: the version that is shipped, and the rules of all versions. */
export const id: string;
export const files: VersionFiles;
export const rules: unknown;
