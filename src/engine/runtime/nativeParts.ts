import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

export type NativeVariant = 'cpu' | 'cuda';

/** Paths of one variant of `tickmark setup-native`: one folder of the package, outside of node_modules, so that `npm ci` keeps it. */
export type NativeParts = {
  readonly variant: NativeVariant;
  readonly folder: string;
  /** Folder of the TensorFlow libraries and headers. */
  readonly tensorflow: string;
  /** JavaScript and C++ of tfjs-node-gpu. It resolves packages in parent folders, so it finds the project's own @tensorflow/tfjs-core. */
  readonly tfjsNode: string;
  readonly addon: string;
  /** Written last, after the addon has given correct results. */
  readonly record: string;
};

export type NativeRecord = {
  readonly variant: NativeVariant;
  readonly tensorflow: string;
  readonly tfjsNode: string;
  /** Version of each wheel by project. */
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

/** The parts of the installed variant, CUDA before CPU; undefined if none is installed or its record is truncated. */
export function installedParts(root: string): { readonly parts: NativeParts; readonly record: NativeRecord } | undefined {
  for (const variant of ['cuda', 'cpu'] as const) {
    const parts = nativeParts(root, variant);
    const record = readRecord(parts.record);
    if (record !== undefined) return { parts, record };
  }
  return undefined;
}

/** Device files of the NVIDIA driver; the second one is for WSL. */
export const NVIDIA_DEVICES = ['/dev/nvidiactl', '/dev/dxg'] as const;

/** Whether TensorFlow for CUDA is installed and a driver is loaded. */
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
