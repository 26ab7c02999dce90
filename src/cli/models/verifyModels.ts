import { readSettings } from '../../config/settings.ts';
import { verifyVersions } from '../../model/registry/verifyVersions.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

/** Exit code 1 if there is any fault. */
export async function verifyModels({ out, fail }: CliContext, { json }: GlobalOptions): Promise<void> {
  const { openRegistry } = await import('../../app/openRegistry.ts');
  const verified = await verifyVersions(openRegistry(readSettings()));
  const inOrder = verified.every(({ faults }) => faults.length === 0);
  if (!inOrder) fail();
  if (json) return out(jsonLine({ inOrder, checked: verified }));
  const lines = verified.flatMap(({ path, faults }) => (faults.length === 0 ? [`ok     ${path}`] : faults.map((fault) => `FAULT  ${path}: ${fault}`)));
  out([...lines, ''].join('\n'));
}
