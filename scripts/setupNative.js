/**
 * `node --import tsx scripts/setupNative.js [--cuda] [--check]`: like `npm run setup:native`, but needs only src/core, src/engine/native and
 * src/engine/runtime. The images are built with it, so that their largest layer stays cached when other sources change.
 */
import { packageRoot } from '../src/core/packageRoot.ts';
import { setupNative } from '../src/engine/native/setupNative.ts';

const has = (flag) => process.argv.includes(flag);
try {
  const report = await setupNative({
    root: packageRoot(),
    variant: has('--cuda') ? 'cuda' : 'cpu',
    check: has('--check'),
    progress: (line) => process.stderr.write(`${line}\n`),
    environment: { ...process.env },
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  if (report.probe?.works !== true || !report.isInUse) process.exitCode = 1;
} catch (error) {
  if (error.code !== 'native.not_possible' && error.code !== 'native.step_failed') throw error;
  process.stderr.write(`tickmark: ${error.message}\n`);
  process.exitCode = 1;
}
