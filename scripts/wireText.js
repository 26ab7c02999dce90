import { register } from 'tsx/esm/api';

/** The types of the service as TypeScript, for the packages. */
export async function wireText() {
  register();
  const { wireTypes } = await import('./reference/wireTypes.ts');
  return wireTypes();
}
