import { spawnSync } from 'node:child_process';

/**
 * The commit of a checkout, 12 characters, with `.dirty` if files of it differ; REVISION names it where there is no history, as in an image.
 *
 * @param {string} root the top folder of the checkout
 * @param {readonly string[]} sources folders and files that count
 * @returns {string} `unknown` without a history
 */
export function commitOf(root, sources) {
  const given = /^[0-9a-f]{7,40}$/.exec(process.env['REVISION'] ?? '')?.[0];
  if (given !== undefined) return given.slice(0, 12);
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  // The history of another project around it says nothing.
  if (git('rev-parse', '--show-prefix') !== '') return 'unknown';
  const head = git('rev-parse', 'HEAD');
  if (head === undefined) return 'unknown';
  return head.slice(0, 12) + (git('status', '--porcelain', '--', ...sources) === '' ? '' : '.dirty');
}
