import type { ModelManifest } from '../../engine/model/ModelManifest.ts';

/** `scripts/demoPage.js` writes the module: the code of the two workers of the page, and the manifest of the version in the second. */
export const reader: string;
export const engine: string;
export const manifest: ModelManifest;
