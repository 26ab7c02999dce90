import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

export type NativeVariant = 'cpu' | 'cuda';

/** Where `tickmark setup-native` puts one variant: everything below one folder of the package, outside of node_modules, so that `npm ci` keeps it. */
export type NativeParts = {
  readonly variant: NativeVariant;
  readonly folder: string;
  /** Folder of the TensorFlow libraries and headers. */
  readonly tensorflow: string;
  /** tfjs-node-gpu's JavaScript and C++; it resolves its own packages upwards, to the one @tensorflow/tfjs-core of the project. */
  readonly tfjsNode: string;
  readonly addon: string;
  /** Written last, when the addon has given right answers. */
  readonly record: string;
};

export type NativeRecord = {
  readonly variant: NativeVariant;
  readonly tensorflow: string;
  readonly tfjsNode: string;
  /** Versions by project of the wheels. */
  readonly wheels: Readonly<Record<string, string>>;
};

export function nativeParts(root: string, variant: NativeVariant): NativeParts {
  const folder = path.join(root, '.native', variant);
  const tfjsNode = path.join(folder, 'node_modules', '@tensorflow', 'tfjs-node-gpu');
  return {
    variant,
    folder,
    tensorflow: path.join(folder, 'tensorflow'),
    tfjsNode,
    addon: path.join(tfjsNode, 'lib', 'napi-v8', 'tfjs_binding.node'),
    record: path.join(folder, 'installed.json'),
  };
}

/** The parts of the variant that is set up, CUDA before CPU; undefined where none is, or where its record was cut off. */
export function installedParts(root: string): { readonly parts: NativeParts; readonly record: NativeRecord } | undefined {
  for (const variant of ['cuda', 'cpu'] as const) {
    const parts = nativeParts(root, variant);
    const record = readRecord(parts.record);
    if (record !== undefined) return { parts, record };
  }
  return undefined;
}

/** Device files of the NVIDIA driver; the second one on WSL. */
export const NVIDIA_DEVICES = ['/dev/nvidiactl', '/dev/dxg'] as const;

/** Whether TensorFlow for CUDA is set up, and a driver is loaded. */
export function hasCudaParts(root: string): boolean {
  return installedParts(root)?.parts.variant === 'cuda' && NVIDIA_DEVICES.some((device) => existsSync(device));
}

function readRecord(file: string): NativeRecord | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NativeRecord;
  } catch {
    return undefined;
  }
}
