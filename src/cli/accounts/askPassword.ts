import { createInterface } from 'node:readline';
import { read } from 'read';
import { ServiceError } from '../../core/ServiceError.ts';

/** A password: asked for twice, unseen, in a terminal; else the first line of standard input. Throws ServiceError `command.invalid`. */
export async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) return firstLine();
  // Prompts are no result: they go where messages go.
  const ask = async (prompt: string): Promise<string> => {
    try {
      const answer = await read({ prompt, silent: true, output: process.stderr });
      // The end of the line was not shown either.
      process.stderr.write('\n');
      return answer;
    } catch (cause) {
      throw new ServiceError('command.invalid', 'No password was given.', { cause });
    }
  };
  const password = await ask('Password: ');
  if ((await ask('The same again: ')) !== password) throw new ServiceError('command.invalid', 'The two passwords differ.');
  return password;
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    lines.close();
    return line;
  }
  throw new ServiceError('command.invalid', 'A password is expected on standard input; it is empty.');
}
