import { fork } from 'node:child_process';

/** Starts the puppet that its argument names and says its process id; never ends by itself. */
const child = fork(new URL('./puppetProcess.ts', import.meta.url), process.argv.slice(2), { execArgv: ['--import', 'tsx'] });
child.once('message', () => process.stdout.write(`${child.pid}\n`));
setInterval(() => {}, 1000);
