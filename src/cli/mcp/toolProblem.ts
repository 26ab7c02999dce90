import type { ServiceError } from '../../core/ServiceError.ts';
import { ERROR_TABLE, type ErrorCode } from '../../core/errorTable.ts';

/** What a language model can do, where the remedy of the code is for people at a command line or for callers of HTTP. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  'command.invalid': 'Correct the arguments as the detail says, and call the tool again.',
  'request.invalid': 'Correct the arguments that errors lists, and call the tool again.',
  'model.unknown': 'Leave model out for the default version, or ask the user for the id of another one.',
  'file.unreadable': 'Ask the user for the right path, and whether this program may read the file.',
  'file.malformed': 'Ask the user for a correct file, or send ticks in the call.',
  'limit.exceeded': 'Wait a minute, and call the tool again.',
  'service.not_ready': 'Call the tool again in some seconds.',
  'inference.overloaded': 'Call the tool again in some seconds.',
  'inference.deadline': 'Call the tool again, with fewer horizons or ticks.',
};

/** Commands, options, settings and parts of HTTP. */
const NOT_FOR_MODELS =
  /\btickmark [a-z]|--[a-z]|\b(GET|POST|DELETE) \/|\b[A-Z]+_[A-Z_]+\b|\b[Ll]og\b|Retry-After|Content-|\bheaders?\b| \/\w|\bcommand\b|\?\w+=/;

const forModels = (remedy: string): string =>
  NOT_FOR_MODELS.test(remedy) ? `Tell the user, who can do this outside of this conversation: ${remedy}` : remedy;

/** A refusal as a language model gets it. */
export function toolProblem({ code, message, remedy, errors }: ServiceError): object {
  const own = remedy === ERROR_TABLE[code].remedy ? REMEDIES[code] : undefined;
  return {
    code,
    detail: message,
    remedy: own ?? forModels(remedy),
    errors: errors.map((each) => ({ ...each, hint: forModels(each.hint) })),
  };
}
