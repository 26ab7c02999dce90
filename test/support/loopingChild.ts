import { fork } from 'node:child_process';
import { endWithParent } from '../../src/core/childProcess.ts';

/** `loopingChild`: starts `loopingChild child`, which loops for ever, prints its process id once it does, and stays. */
if (process.argv[2] === 'child') {
  await endWithParent();
  // After the message was sent.
  process.send?.('loops', () => {
    for (;;);
  });
} else {
  const child = fork(process.argv[1] ?? '', ['child']);
  child.on('message', () => process.stdout.write(`${child.pid}\n`));
  setInterval(() => {}, 1000);
}
