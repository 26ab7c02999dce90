/** A shipped version and rule set, so that the calls in the documentation work. */
export const EXAMPLE_MODEL_ID = 'base-2026-11-27';
export const EXAMPLE_RULE_SET_ID = 'base-2';
