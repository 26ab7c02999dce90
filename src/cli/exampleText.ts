/** For `addHelpText('after', …)` of a command whose help needs only examples. */
export function exampleText(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ tickmark ${line}`).join('\n')}`;
}
