import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { engineOptions } from './clientOptions.ts';
import { ROOT } from '../../test/support/tickmarkProcess.ts';

const FILES = ['api.ts', 'Series.ts', 'memory.ts', 'EngineError.ts', 'openEngine.ts'];
const DECLARATION = /^(?:\/\*\* (.*) \*\/\n)?export (type|class|(?:async )?function) (\w+)([^\n]*;|[^]*?^\}[^\n]*)$/gm;
/** A member of a type or a class, or the first line of a method; with its comment. */
const MEMBER =
  /(?:^ {2}\/\*\* (.*) \*\/\n)?^ {2}(?:override )?(?:readonly |(get )|async )?(\w+\??)(\(.*\))?(?:(?:: | = )([^{;\n]+|\{[^\n]*\}))?(?: \{|;)$/gm;

/** Types of options.ts, which the package does not export. */
const OPTIONS = /^OptionsOf/;

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** What the package exports, from its types: the comments are the text. */
export function engineApi(): string {
  const exported = readFileSync(path.join(ROOT, 'clients/engine/src/index.ts'), 'utf8');
  const files = FILES.map((file) => readFileSync(path.join(ROOT, 'clients/engine/src', file), 'utf8'));
  const texts = [engineOptions(), ...files];
  const entries = texts.flatMap((text) => [...text.matchAll(DECLARATION)]);
  return entries
    .filter(([, , , name]) => new RegExp(`\\b${name}\\b`).test(exported))
    .map(([declaration, about, kind, name]) => {
      const lines = declaration.split('\n').filter((line) => !line.startsWith('/**'));
      // Generated options are shown where they are used.
      const inner = entries.filter(
        ([, , , other]) => OPTIONS.test(other!) && new RegExp(`\\b${other}\\b`).test(declaration.split('\n', 3).join()),
      );
      const texts = kind!.endsWith('function') ? [] : [declaration, ...inner.map(([text]) => text)];
      const members = texts.flatMap((text) => [...text.matchAll(MEMBER)]);
      const rows = members.map(
        ([, meaning = '', getter, member, parameters = '', type]) =>
          `| \`${cell(`${member}${getter === undefined ? parameters : ''}${type === undefined ? '' : `: ${type}`}`)}\` | ${cell(meaning) || '–'} |`,
      );
      const head = lines[0]
        .replace(/^export (?:async )?/, '')
        .replace(/(?: =| &)? \{$/, '')
        .replace(/(?: =| &) OptionsOf\w+$/, '');
      const table = rows.length === 0 ? [] : [['| member | meaning |', '| --- | --- |', ...rows].join('\n')];
      return [`## ${name}`, `\`\`\`ts\n${head}\n\`\`\``, ...(about === undefined ? [] : [about]), ...table].join('\n\n');
    })
    .join('\n\n');
}
