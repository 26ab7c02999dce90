export type NextSteps = {
  /** Opens the console with a key already set. */
  readonly link?: string | undefined;
  /** Whether everyone may sign up. */
  readonly isSignUpOpen: boolean;
};

/** What `serve` prints when it is ready: three commands to copy and paste. */
export function nextSteps(url: string, version: string, { link, isSignUpOpen }: NextSteps): string {
  const opening =
    link === undefined
      ? 'Open that address in a browser for the console. '
      : `Open the console with a key already set. The link works while this service runs; do not pass it on:\n${link}\n\n`;
  return `tickmark ${version} is ready on ${url}

${opening}Or from a terminal:

A forecast, no key needed:
  curl -s '${url}/sample/forecast'

${isSignUpOpen ? 'Sign up' : 'Sign-up is closed (SIGNUP). Create an account with the settings of this service'}; the key is shown only once and stored in KEY:
  ${isSignUpOpen ? signUpCommand(url) : CREATE_ACCOUNT}

A forecast with your key, on the sample ticks:
  curl -s '${url}/sample' | curl -s -X POST -H 'Content-Type: application/json' -H "Api-Key: $KEY" --data-binary @- '${url}/auth/ti-tick'

Ctrl-C stops the service. More: README.md, docs/tutorial/quickstart.md, ${url}/docs
`;
}

/** Prints the answer, and keeps the key that `pattern` finds in it. Not through `tee /dev/stderr`, which fails where stderr is a socket. */
const keepKey = (command: string, pattern: string): string =>
  `ACCOUNT=$(${command}); echo "$ACCOUNT"; KEY=$(echo "$ACCOUNT" | sed -n '${pattern}')`;

const CREATE_ACCOUNT = keepKey('npx tickmark accounts create you@example.com --generate-password', 's/^API key.*: *//p');

function signUpCommand(url: string): string {
  const body = `{"email":"you@example.com","password":"change-me-12345","confirm_password":"change-me-12345"}`;
  return keepKey(
    `curl -s -X POST -H 'Content-Type: application/json' -d '${body}' '${url}/signup'`,
    's/.*"api_key": *"\\([^"]*\\)".*/\\1/p',
  );
}
