/** For `addHelpText('after', …)` of a command that needs no more words than how it is called. */
export function exampleText(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ tickmark ${line}`).join('\n')}`;
}
