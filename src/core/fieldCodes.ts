/**
 * Codes of one broken rule of one field (`errors[].code` of a problem document), each with its remedy. Listed in `docs/errors.md` and in
 * the OpenAPI document.
 */
export const FIELD_CODES = {
  'body.not_object': 'Send a JSON object.',
  'field.missing': 'Add the field.',
  'field.unknown': 'Remove the field, or correct its spelling.',
  'field.wrong_type': 'Send a value of the type that the rule names.',
  'field.too_short': 'Send a longer value.',
  'field.too_long': 'Send a shorter value.',
  'items.too_few': 'Send at least one item.',
  'items.too_many': 'Send at most 64 items, and the rest in another batch.',
  'ticks.too_few': 'Send 199 or more observed ticks and one future timestamp: 200 entries at least.',
  'ticks.too_many': 'Send 3000 observed ticks at most and one future timestamp: 3001 entries at most.',
  'ticks.lengths_differ': 'Send one price for each timestamp; the last price is 0.',
  'timestamp.malformed': 'Write YYYY-MM-DD HH:MM:SS.fff with 0 to 9 digits of fraction.',
  'timestamp.not_a_time': 'Send a date and a time that exist in the calendar.',
  'timestamp.out_of_range': 'Send a year from 1970 to 2199.',
  'timestamp.offset_unsupported': 'Send UTC: no suffix, Z or +00:00.',
  'timestamp.step_back': 'Sort the ticks by time; equal timestamps are allowed.',
  'timestamp.future_not_later': 'Send a last timestamp strictly later than the last observed tick.',
  'price.not_finite': 'Send a finite number.',
  'price.not_positive': 'Send a price above 0; only the last one is 0.',
  'price.too_large': 'Send a price below 1e12.',
  'price.future_not_zero': 'Send 0 as the last price: it is unknown.',
  'email.malformed': 'Send an e-mail address such as name@example.com.',
  'password.too_short': 'Use at least 8 alphanumeric characters; other characters are allowed too.',
  'password.too_long': 'Use at most 1,024 bytes of UTF-8.',
  'password.not_confirmed': 'Send the same text as password and confirm_password.',
  'company_id.too_long': 'Use at most 128 characters.',
  'key_name.length': 'Use 1 to 64 characters, or leave the name out.',
  'expires_at.malformed': 'Write a time in UTC: YYYY-MM-DDTHH:MM:SSZ.',
  'expires_at.out_of_range': 'Send a time later than now and within ten years, or leave it out.',
  'query.unknown': 'Remove the query parameter, or correct its spelling.',
  'query.repeated': 'Send the query parameter once.',
  'query.malformed': 'Send a value in the form that the rule names.',
  'min_move_bps.out_of_range': 'Send a number above 0 and at most 10000, in basis points.',
} as const satisfies Record<string, string>;

export type FieldCode = keyof typeof FIELD_CODES;
