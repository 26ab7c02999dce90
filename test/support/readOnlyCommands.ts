/**
 * `readOnlyCommands COMMANDS`: runs commands (a JSON array of argument lists) one after the other as a user who may
 * not write the folders of the test, and prints their ends as JSON. Root drops its rights once the modules are loaded.
 */
import { run } from '../../src/cli/run.ts';
import '../../src/service/accounts/Argon2Hasher.ts';
import '../../src/service/app/backup/makeBackup.ts';
import '../../src/service/app/openStore.ts';

const NOBODY = 65534;
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}
const ends = [];
for (const argv of JSON.parse(process.argv[2] ?? '[]') as string[][]) {
  let [out, err] = ['', ''];
  const code = await run(argv, { out: (text) => void (out += text), err: (text) => void (err += text), announce: () => {} });
  ends.push({ code, out, err });
}
process.stdout.write(JSON.stringify(ends));
