import { ROUTES, type RouteSpec } from '../../contract/routes.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../../core/units.ts';

/** GET /llms.txt: the form of llmstxt.org, with links of this service only. */
export function writeLlms(): string {
  const routes = Object.values<RouteSpec>(ROUTES).map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}.`);
  return `# tickmark

> A self-hosted service that says whether a trade opportunity is identified at a future time, from the last ticks of one market. It predicts that the price
> moves by more than a threshold, either way: not the direction, and no profit. This is no investment advice.

How to ask:

1. \`POST /signup\` with \`{"email", "password", "confirm_password"}\` answers \`api_key\`, once. \`GET /sample/forecast\` needs no key.
2. \`POST /auth/ti-tick\` with the headers \`Api-Key\` and \`Content-Type: application/json\` and the body \`{"Timestamp": [...], "Price": [...]}\`:
   ${MIN_ENTRIES} to ${MAX_ENTRIES} entries, in the order of time, \`YYYY-MM-DD HH:MM:SS.fff\` in UTC; the last timestamp is the future one and its price is 0.
   \`GET /sample\` is such a body.
3. The answer has one key for each timestamp; all but the last are \`{"trend_identified": null}\`. The last is 1 where an opportunity is identified, else
   null. \`?answer=last\` answers one short object for the future timestamp instead: \`trend_identified\`, \`status\` (identified, none or abstained) and
   \`reason\`. \`?detail=full\` adds why: probability, reasons of a null, rules. \`?min_move_bps=2.5\` is the caller's own threshold.
4. \`POST /auth/ti-tick/batch\` takes up to 64 such bodies as \`{"items": [...]}\`; each gets its own result.

Errors are \`application/problem+json\`: read \`code\`, and wait \`retryAfterSeconds\` where it is given.

## Docs

- [API](/docs): every route with examples, as a page
- [OpenAPI 3.1](/openapi.json): the same for programs
- [Models](/models): the loaded versions, and how each did on ticks that it never saw
- [Rules](/rules): what explains and vetoes an answer

## Routes

${routes.join('\n')}
`;
}
