// A message that cannot be written (a full disk) must not end the process.
process.stderr.on('error', () => {});
const NEEDED = [20, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `tickmark: this is Node.js ${process.versions.node}; tickmark needs ${NEEDED.join('.')} or newer. Install it from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  // Imported late: the rest may not even parse on an old Node.js.
  const { openFilesFault } = await import('./core/openFiles.ts');
  const fault = openFilesFault();
  if (fault !== undefined) {
    process.stderr.write(`tickmark: ${fault}\n`);
    process.exit(1);
  }
  const { run } = await import('./cli/run.ts');
  const { flushErrors } = await import('./cli/CliContext.ts');
  const code = await run(process.argv.slice(2));
  await flushErrors();
  // Not left to an empty event loop: Node.js then takes the signal handlers away before it ends, and a late Ctrl-C (npm passes each on once
  // more) would end the process by its default.
  process.stdout.write('', () => process.exit(code));
}
