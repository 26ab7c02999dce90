import { packageRoot } from '../../src/core/packageRoot.ts';
import { missingParts } from '../../src/engine/runtime/nativeBackend.ts';
import { installedParts } from '../../src/engine/runtime/nativeParts.ts';

/**
 * The reason why tests on native TensorFlow cannot run; undefined if they can. If REQUIRE_NATIVE is set (by `.ci/run`), throws instead:
 * nothing may be skipped there.
 */
export function whyNoNative(): string | undefined {
  const missing = missingParts(installedParts(packageRoot()));
  if (missing === undefined) return undefined;
  const text = `native TensorFlow cannot be used: ${missing.reason}; ${missing.remedy}`;
  if (process.env['REQUIRE_NATIVE']) throw new Error(text);
  return text;
}
