/** What `serve` prints when it is ready: three commands to copy and paste. `link` opens the console with a key already set. */
export function nextSteps(url: string, version: string, link?: string): string {
  const opening =
    link === undefined
      ? 'Open that address in a browser for the console. '
      : `Open the console with a key already set. The link works while this service runs; do not pass it on:\n${link}\n\n`;
  return `tickmark ${version} is ready on ${url}

${opening}Or from a terminal:

A forecast, no key needed:
  curl -s '${url}/sample/forecast'

Sign up; the key is shown only once and stored in KEY:
  ${signUpCommand(url)}

A forecast with your key, on the sample ticks:
  curl -s '${url}/sample' | curl -s -X POST -H 'Content-Type: application/json' -H "Api-Key: $KEY" --data-binary @- '${url}/auth/ti-tick'

Ctrl-C stops the service. More: README.md, docs/tutorial/quickstart.md, ${url}/docs
`;
}

function signUpCommand(url: string): string {
  const body = `{"email":"you@example.com","password":"change-me-12345","confirm_password":"change-me-12345"}`;
  const post = `curl -s -X POST -H 'Content-Type: application/json' -d '${body}' '${url}/signup'`;
  // Not through `tee /dev/stderr`, which fails where stderr is a socket.
  return `ACCOUNT=$(${post}); echo "$ACCOUNT"; KEY=$(echo "$ACCOUNT" | sed -n 's/.*"api_key": *"\\([^"]*\\)".*/\\1/p')`;
}
