import { fork } from 'node:child_process';

/** `puppetParent PUPPET HOW`: starts the puppet and prints its process id when it says `hangs`; never exits by itself. */
const [puppet = '', how = ''] = process.argv.slice(2);
const child = fork(puppet, [how]);
child.on('message', (message) => {
  if (message === 'hangs') process.stdout.write(`${child.pid}\n`);
});
setInterval(() => {}, 1000);
