import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import * as path from 'node:path';
import type { NativeParts } from '../runtime/nativeParts.ts';
import type { SetupStep } from './SetupStep.ts';

/** Links the libraries to the names that the addon's build and its loader expect. */
export const linksStep: SetupStep = {
  name: 'links',
  isDone: ({ parts }) => links(parts).every(([link, target]) => existsSync(link) && targetOf(link) === target),
  cost: () => ({ needs: [], downloadBytes: 0, diskBytes: 0, temporaryBytes: 0 }),
  run: async ({ parts }) => {
    for (const [link, target] of links(parts)) {
      mkdirSync(path.dirname(link), { recursive: true });
      rmSync(link, { force: true, recursive: true });
      symlinkSync(target, link);
    }
    return links(parts)
      .map(([link]) => path.basename(link))
      .join(', ');
  },
};

const targetOf = (link: string): string | undefined => (lstatSync(link).isSymbolicLink() ? readlinkSync(link) : undefined);

/** Relative links, so that the folder of tickmark can be moved or copied into an image. */
function links({ tensorflow, tfjsNode }: NativeParts): [link: string, target: string][] {
  const deps = path.join(tfjsNode, 'deps');
  return [
    [path.join(deps, 'lib'), path.relative(deps, tensorflow)],
    [path.join(deps, 'include'), path.relative(deps, path.join(tensorflow, 'include'))],
  ];
}
