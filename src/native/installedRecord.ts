import { existsSync, readFileSync } from 'node:fs';
import type { NativeRecord } from '../runtime/nativeParts.ts';
import { TENSORFLOW_VERSION, TFJS_NODE_VERSION } from './pins.ts';
import type { SetupTarget } from './SetupStep.ts';

/** Content of `installed.json` for verified parts of this version of tickmark. */
export function recordText({ parts, wheels }: SetupTarget): string {
  const record: NativeRecord = {
    variant: parts.variant,
    tensorflow: TENSORFLOW_VERSION,
    tfjsNode: TFJS_NODE_VERSION,
    wheels: Object.fromEntries(wheels.map(({ project, version }) => [project, version])),
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

export const isRecorded = (place: SetupTarget): boolean =>
  existsSync(place.parts.record) && readFileSync(place.parts.record, 'utf8') === recordText(place);
