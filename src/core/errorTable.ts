/** Who can resolve an error: the caller of the API, or the operator of the service. */
type Audience = 'caller' | 'operator';

export type ErrorRow = {
  /** HTTP status of the answer that carries the code. */
  readonly status: number;
  /** Short sentence, the same for every occurrence (RFC 9457 `title`). */
  readonly title: string;
  /** What to do next. */
  readonly remedy: string;
  readonly audience: Audience;
};

const of =
  (audience: Audience) =>
  (status: number, title: string, remedy: string): ErrorRow => ({ status, audience, title, remedy });
const [caller, operator] = [of('caller'), of('operator')];

/**
 * Every error code of problem documents and commands. `npm run docs:reference` writes them to `docs/reference/errors.md`;
 * `test/contracts/errorTable.test.ts` compares them with the routes and the OpenAPI document in both directions.
 */
export const ERROR_TABLE = {
  'request.malformed_http': caller(400, 'The bytes sent are not a valid HTTP request.', 'Send one well-formed HTTP/1.1 request.'),
  'request.malformed_json': caller(400, 'The body is not valid JSON.', 'Send UTF-8 JSON; NaN, Infinity and comments are not JSON.'),
  'request.duplicate_key': caller(400, 'The body names one key twice.', 'Send each key once.'),
  'request.timeout': caller(408, 'The request was not received in time.', 'Send the whole request within the time limit.'),
  'request.too_large': caller(413, 'The body is larger than the limit.', 'Send a smaller body.'),
  'request.media_type_unsupported': caller(
    415,
    'The media type of the body is not supported.',
    'Send Content-Type: application/json, in UTF-8.',
  ),
  'request.encoding_unsupported': caller(
    415,
    'The content encoding of the body is not supported.',
    'Send the body uncompressed, or compressed with gzip.',
  ),
  'request.invalid': caller(422, 'The request breaks one or more rules.', 'Correct the fields listed under errors.'),
  'request.headers_too_large': caller(431, 'The headers are larger than the limit.', 'Send fewer or shorter headers.'),
  'route.not_found': caller(404, 'There is nothing at this path.', 'See /docs or /openapi.json for the routes.'),
  'route.method_not_allowed': caller(405, 'This path does not support this method.', 'Use a method listed in the Allow header.'),
  'request.host_refused': caller(
    421,
    'The service does not answer under this host name.',
    'Call it as localhost or 127.0.0.1, or ask the operator to add the name to HOST_NAMES.',
  ),
  'cors.origin_refused': caller(
    403,
    'Pages of this origin may not call the service from a browser.',
    'Ask the operator to add the origin to CORS_ORIGINS, or call the service from a server.',
  ),
  'auth.key_refused': caller(401, 'The API key was not accepted.', 'Send a valid key in the Api-Key header; POST /signup issues one.'),
  'auth.password_refused': caller(401, 'The e-mail and password were not accepted.', 'Send both exactly as at sign-up.'),
  'limit.exceeded': caller(429, 'Too many requests of this kind.', 'Try again after the time in Retry-After.'),
  'account.unknown': caller(404, 'There is no such account.', 'Check its e-mail or id; it may have been deleted.'),
  'account.too_many_keys': caller(409, 'The account has the maximum number of keys.', 'Revoke a key that is no longer needed.'),
  'key.unknown': caller(404, 'The account has no such key.', 'GET /account/keys lists its keys.'),
  'session.origin_refused': caller(
    403,
    'A session counts only for requests of the page of this service.',
    'Open the console at the address of the service, or send a key.',
  ),
  'session.link_refused': caller(403, 'This key starts no session.', 'Sign in with e-mail and password.'),
  'session.unknown': caller(404, 'The account has no such session.', 'GET /session lists its sessions.'),
  'account.too_many_webhooks': caller(409, 'The account has the maximum number of webhooks.', 'Remove a webhook that is no longer needed.'),
  'webhook.unknown': caller(404, 'The account has no such webhook.', 'GET /account/webhooks lists its webhooks.'),
  'account.too_many_markets': caller(
    409,
    'The account, or the service, watches the maximum number of markets.',
    'Remove a market that is no longer needed.',
  ),
  'market.exists': caller(409, 'The account watches this market already.', 'Change it with PATCH /account/markets/{id}.'),
  'market.unknown': caller(404, 'The account has no such market.', 'GET /account/markets lists its markets.'),
  'account.email_taken': caller(
    409,
    'An account with this e-mail exists.',
    'Use another e-mail, or issue a new key with POST /account/keys and the password.',
  ),
  'account.signup_closed': caller(403, 'Sign-up is closed on this service.', 'Ask the operator for an account.'),
  'account.busy': caller(503, 'Too many password checks are in progress.', 'Try again after the time in Retry-After.'),
  'model.unknown': caller(404, 'No model with this id is loaded.', 'tickmark models list or GET /models lists them.'),
  'rules.unknown': caller(404, 'No rule set with this id is loaded.', 'GET /rules lists the loaded ones.'),
  'service.not_ready': caller(503, 'The service is starting or stopping.', 'Try again after the time in Retry-After.'),
  'store.unavailable': operator(
    503,
    'The account store does not answer.',
    'Check the log for the cause: disk space, permissions, the database.',
  ),
  'inference.overloaded': caller(
    503,
    'The service is overloaded and cannot compute this forecast in time.',
    'Try again after the time in Retry-After.',
  ),
  'inference.deadline': caller(
    504,
    'The forecast was not computed before its deadline.',
    'Try again; the service is busier than expected.',
  ),
  'inference.failed': operator(500, 'The network failed on this request.', 'Check the log for the cause, then run tickmark doctor.'),
  'internal.unexpected': operator(500, 'An unexpected error occurred.', 'Search the log for the request id.'),
  'settings.invalid': operator(
    500,
    'A setting has a value that is not allowed.',
    'Correct the environment variable that the message names.',
  ),
  'command.invalid': operator(500, 'The command was called with wrong arguments.', 'See --help of the command.'),
  'server.cannot_listen': operator(
    500,
    'The service cannot listen on its address.',
    'Free the port, or set another address: HOST and PORT, or METRICS_HOST and METRICS_PORT for metrics.',
  ),
  'server.unreachable': operator(500, 'No service answers at this address.', 'Start the service, or correct --url.'),
  'runtime.refused': operator(500, 'The requested backend cannot be used.', 'Run tickmark doctor for the reason.'),
  'native.not_possible': operator(
    500,
    'The native libraries cannot be set up on this machine.',
    'Install what the message names, then run tickmark setup-native again.',
  ),
  'native.step_failed': operator(
    500,
    'A step of the native setup failed.',
    'Fix what the message names, then run tickmark setup-native again: it continues where it stopped.',
  ),
  'model.refused': operator(500, 'A model version cannot be served.', 'Restore the folder that the message names, or remove it.'),
  'model.not_promotable': operator(
    500,
    'A model version cannot become the default.',
    'Train a version that passes its promotion gate on ticks of a market; ?model= tries this one without promoting it.',
  ),
  'model.no_way_back': operator(
    500,
    'There is no earlier version to roll back to.',
    'Run tickmark models list, then promote the version that should answer.',
  ),
  'model.registry_busy': operator(
    500,
    'Another command is changing the model versions.',
    'Try again when it has finished; if the message names a lock file and no command is running, remove that file.',
  ),
  'rules.refused': operator(500, 'A rule set cannot be used.', 'Correct the rule set at the pointer that the message names.'),
  'store.refused': operator(500, 'The account store cannot be opened.', 'Do what the message says; nothing was changed in the store.'),
  'accounts.conflict': operator(
    500,
    'An imported account already exists with different data.',
    'Import into an empty store, or delete the accounts that the message names.',
  ),
  'backup.refused': operator(500, 'A backup cannot be made or restored.', 'Do what the message says; nothing was changed.'),
  'file.unreadable': operator(500, 'A file cannot be read.', 'Check the path and the permissions.'),
  'file.unwritable': operator(500, 'A file cannot be written.', 'Check the path, the permissions and the free space.'),
  'feed.failed': operator(
    500,
    'The feed of an exchange failed.',
    'Compare the symbol and the address with the documentation of the exchange.',
  ),
  'file.malformed': operator(500, 'A file breaks a rule of its format.', 'Correct what the message names, or give another file.'),
  'training.too_little_data': operator(
    500,
    'There is too little data to train or evaluate on.',
    'Provide more days of ticks or more instruments.',
  ),
  'training.diverged': operator(
    500,
    'The training loss is not a number.',
    'Lower the learning rate, or check the batch that the message names.',
  ),
  'training.stopped': operator(500, 'Training was stopped before its end.', 'Run the same command with --resume to continue.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_TABLE;

export const ERROR_CODES = Object.keys(ERROR_TABLE) as ErrorCode[];

/**
 * Codes of one broken rule of one field (`errors[].code` of a problem document), each with its remedy. Listed in `docs/reference/errors.md`
 * and in the OpenAPI document.
 */
export const FIELD_CODES = {
  'body.not_object': 'Send a JSON object.',
  'field.missing': 'Add the field.',
  'field.unknown': 'Remove the field, or correct its spelling.',
  'field.wrong_type': 'Send a value of the type that the rule names.',
  'field.too_short': 'Send a longer value.',
  'field.too_long': 'Send a shorter value.',
  'field.malformed': 'Send a value in the form that the rule names.',
  'field.out_of_range': 'Send a value within the bounds that the rule names.',
  'message.type_unknown': 'Send auth, open, ticks, bars, ask, score or close as type.',
  'series.unknown': 'Open the series on this connection first.',
  'series.other_kind': 'Use one name for each kind: ticks, or bars of one length.',
  'series.already_open': 'Close the series first, or use another name.',
  'series.too_many': 'Close a series first, or use another connection.',
  'forecast.id_repeated': 'Give each forecast of a series an id of its own.',
  'forecasts.too_few': 'Send at least one forecast.',
  'forecasts.too_many': 'Send fewer forecasts; `opened` names the limits.',
  'items.too_few': 'Send at least one item.',
  'items.too_many': 'Send at most 64 items, and the rest in another batch.',
  'ticks.empty': 'Send at least one tick.',
  'ticks.too_few': 'Send 199 or more observed ticks and one future timestamp: 200 entries at least.',
  'ticks.too_many': 'Send 3000 observed ticks at most and one future timestamp: 3001 entries at most.',
  'ticks.lengths_differ': 'Send one price for each timestamp; the last price is 0.',
  'bars.range_broken': 'Send low <= open, close <= high for each bar; Close alone is enough.',
  'bars.no_period': 'Send bars of one length; bars may be missing.',
  'bars.period_out_of_range': 'Send bars of 1 s to 1 day.',
  'bars.ranges_differ': 'Send Open, High and Low in all messages of a series, or in none.',
  'bar_time.required': 'Send bar_time=open for beginnings of bars, bar_time=close for their ends.',
  'timestamp.malformed': 'Write YYYY-MM-DD HH:MM:SS.fff with 0 to 9 digits of fraction.',
  'timestamp.not_a_time': 'Send a date and a time that exist in the calendar.',
  'timestamp.out_of_range': 'Send a year from 1970 to 2199.',
  'timestamp.offset_unsupported': 'Send UTC, or an offset such as +02:00.',
  'timestamp.epoch_malformed': 'Send 13 digits for milliseconds or 16 for microseconds, all in one unit.',
  'timestamp.step_back': 'Sort the ticks by time; equal timestamps are allowed.',
  'timestamp.not_increasing': 'Sort the bars by time, and send each once.',
  'timestamp.future_not_later': 'Send a last timestamp strictly later than the last observed tick.',
  'price.not_finite': 'Send a finite number.',
  'price.not_positive': 'Send a price above 0; only the last one is 0.',
  'price.too_large': 'Send a price below 1e12.',
  'price.future_not_zero': 'Send 0 as the last price: it is unknown.',
  'email.malformed': 'Send an e-mail address such as name@example.com.',
  'email.reserved': 'Use another e-mail address; this one belongs to the service.',
  'password.too_short': 'Use at least 8 alphanumeric characters; other characters are allowed too.',
  'password.too_long': 'Use at most 1,024 bytes of UTF-8.',
  'password.not_confirmed': 'Send the same text as password and confirm_password.',
  'company_id.too_long': 'Use at most 128 characters.',
  'key_name.length': 'Use 1 to 64 characters, or leave the name out.',
  'expires_at.malformed': 'Write a time in UTC: YYYY-MM-DDTHH:MM:SSZ.',
  'expires_at.out_of_range': 'Send a time later than now and within ten years, or leave it out.',
  'webhook.url_refused': 'Send an https URL of a public address, such as https://hooks.example.com/tickmark.',
  'webhook.event_unknown': 'Send forecast.marked, forecast.settled or record.worse, or leave events out for all.',
  'market.exchange_unknown': 'Name an exchange that the service connects to, and what it has.',
  'query.unknown': 'Remove the query parameter, or correct its spelling.',
  'query.repeated': 'Send the query parameter once.',
  'query.malformed': 'Send a value in the form that the rule names.',
  'query.without_bars': 'Leave the query parameter out, or send Close in place of Price.',
  'horizon_bars.out_of_range': 'Send whole numbers of bars from 1 on, which last a day at most.',
  'min_move_bps.out_of_range': 'Send a number above 0 and at most 10000, in basis points.',
  'min_move_bps.cost_unknown': 'Send Bid and Ask in place of Price, or your cost as a number.',
  'min_probability.out_of_range': 'Send a number from 0.01 to 0.99.',
  'mark_rate.out_of_range': 'Send a number from 0.001 to 0.5.',
  'range.out_of_range': 'Send 1 to 8 different levels from 0.5 to 0.99, such as 0.5,0.9.',
  'above.out_of_range': 'Send a price above 0 and below 1e12.',
  'touch.out_of_range': 'Send 1 to 16 different prices above 0 and below 1e12; with first, 2 of them.',
  'mark_rate.with_probability': 'Send mark_rate or min_probability.',
} as const satisfies Record<string, string>;

export type FieldCode = keyof typeof FIELD_CODES;
