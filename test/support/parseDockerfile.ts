import { readFileSync } from 'node:fs';
import {
  DockerfileParser,
  type Arg,
  type Copy,
  type From,
  type Instruction,
  type JSONInstruction,
  type ModifiableInstruction,
  type PropertyInstruction,
} from 'dockerfile-ast';

export type DockerStep =
  | { readonly keyword: 'COPY'; readonly from: string | undefined; readonly sources: readonly string[]; readonly target: string }
  /** One command of a RUN line; `&&` separates them. */
  | { readonly keyword: 'RUN'; readonly words: readonly string[] }
  | { readonly keyword: 'WORKDIR' | 'USER' | 'STOPSIGNAL' | 'EXPOSE'; readonly value: string }
  | { readonly keyword: 'ENV' | 'LABEL' | 'ARG'; readonly values: Readonly<Record<string, string>> }
  /** `argv` is undefined for a shell command line. */
  | { readonly keyword: 'CMD' | 'ENTRYPOINT' | 'HEALTHCHECK' | 'VOLUME'; readonly argv: readonly string[] | undefined };

export type DockerStage = {
  /** Its name, else its number. */
  readonly name: string;
  /** An image or an earlier stage. */
  readonly from: string;
  readonly steps: readonly DockerStep[];
};

/**
 * The stages of a Dockerfile with build arguments filled in: `args` before the file's own defaults. Throws on instructions that the type
 * above lacks.
 */
export function parseDockerfile(file: string, args: Readonly<Record<string, string>> = {}): DockerStage[] {
  const dockerfile = DockerfileParser.parse(readFileSync(file, 'utf8'));
  const known: Record<string, string> = {};
  for (const arg of dockerfile.getInitialARGs()) Object.assign(known, argument(arg, args, known));
  const stages: { name: string; from: string; steps: DockerStep[] }[] = [];
  for (const instruction of dockerfile.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const from = instruction as From;
      stages.push({ name: from.getBuildStage() ?? String(stages.length), from: filled(from.getImage() ?? '', known), steps: [] });
      continue;
    }
    const steps = stages.at(-1)?.steps;
    if (steps === undefined) continue;
    if (keyword === 'ARG') Object.assign(known, argument(instruction as Arg, args, known));
    steps.push(...stepsOf(instruction, known, args));
  }
  return stages;
}

function stepsOf(instruction: Instruction, known: Record<string, string>, args: Readonly<Record<string, string>>): DockerStep[] {
  const keyword = instruction.getKeyword();
  const values = instruction.getArguments().map((argument) => filled(argument.getValue(), known));
  switch (keyword) {
    case 'COPY':
      return [
        {
          keyword,
          from: (instruction as Copy).getFromFlag()?.getValue() ?? undefined,
          sources: values.slice(0, -1),
          target: values.at(-1)!,
        },
      ];
    case 'RUN':
      return commandsOf(values).map((words) => ({ keyword, words }));
    case 'WORKDIR':
    case 'USER':
    case 'STOPSIGNAL':
    case 'EXPOSE':
      return [{ keyword, value: values.join(' ') }];
    case 'ARG':
      return [{ keyword, values: argument(instruction as Arg, args, known) }];
    case 'ENV':
    case 'LABEL':
      return [{ keyword, values: properties(instruction as PropertyInstruction, known) }];
    case 'CMD':
    case 'ENTRYPOINT':
    case 'VOLUME':
      return [{ keyword, argv: (instruction as JSONInstruction).getOpeningBracket() === null ? undefined : json(values.join(' ')) }];
    case 'HEALTHCHECK': {
      const command = values.slice(values[0] === 'CMD' ? 1 : 0).join(' ');
      return [{ keyword, argv: command.startsWith('[') ? json(command) : undefined }];
    }
    default:
      throw new Error(`the tests do not support the instruction ${keyword}`);
  }
}

const json = (text: string): string[] => JSON.parse(text) as string[];

/** An argument without a default in the file and without a value from the caller stays unknown. */
function argument(arg: Arg, args: Readonly<Record<string, string>>, known: Readonly<Record<string, string>>): Record<string, string> {
  const property = arg.getProperty();
  const name = property?.getName() ?? '';
  const value = args[name] ?? property?.getValue() ?? known[name];
  return value === undefined ? {} : { [name]: value };
}

function properties(instruction: PropertyInstruction, known: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(instruction.getProperties().map((property) => [property.getName(), filled(property.getValue() ?? '', known)]));
}

const filled = (text: string, known: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)\}/g, (all, name: string) => known[name] ?? all);

function commandsOf(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (const word of words)
    if (word === '&&') commands.push([]);
    else commands.at(-1)!.push(word.replace(/^'(.*)'$/, '$1'));
  return commands;
}

/** Flags such as `--start-period`, by name. */
export function flagsOf(file: string, keyword: string): Record<string, string> {
  const found = DockerfileParser.parse(readFileSync(file, 'utf8'))
    .getInstructions()
    .find((instruction) => instruction.getKeyword() === keyword) as ModifiableInstruction;
  return Object.fromEntries(found.getFlags().map((flag) => [flag.getName(), flag.getValue() ?? '']));
}
