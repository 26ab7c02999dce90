import { tsImport } from 'tsx/esm/api';

/** The types of the service as TypeScript, for the packages. */
export async function wireText() {
  const { wireTypes } = await tsImport('./reference/wireTypes.ts', import.meta.url);
  return wireTypes();
}
