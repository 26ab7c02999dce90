/**
 * `node --import tsx scripts/setupNative.js [--cuda] [--check]`: what `npm run setup:native` does, from src/core, src/native and
 * src/runtime alone. The images are built with it: their largest layer then stays while the rest of the sources changes.
 */
import { packageRoot } from '../src/core/packageRoot.ts';
import { setupNative } from '../src/native/setupNative.ts';

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
