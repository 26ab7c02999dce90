import { fork } from 'node:child_process';

/** Starts the puppet in its argument and prints its process id when it has reached the state that its argument names; never exits by itself. */
const child = fork(new URL('./puppetProcess.ts', import.meta.url), process.argv.slice(2), { execArgv: ['--import', 'tsx'] });
child.on('message', (message) => {
  if (message === (process.argv[2] === 'hang' ? 'hangs' : 'ready')) process.stdout.write(`${child.pid}\n`);
});
setInterval(() => {}, 1000);
