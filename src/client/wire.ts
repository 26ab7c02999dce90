/** The types of the wire, as the service itself is typed: shared with it, not copied. */
import type { Problem } from '../contract/problem.ts';

export type { ForecastDetail, InputNote, NullReason } from '../contract/forecastDetail.ts';
export type { IssuedKeyAnswer, KeyAnswer, KeyListAnswer, KeyRequestBody, MessageAnswer, RotatedKeyAnswer } from '../contract/account.ts';
export type { LiveAnswer, ReadyAnswer } from '../contract/health.ts';
export type { MeAnswer } from '../contract/me.ts';
export type { ModelAnswer, ModelListAnswer, ModelSummary } from '../contract/models.ts';
export type { Problem } from '../contract/problem.ts';
export type { RuleSetAnswer, RuleSetListAnswer } from '../contract/rules.ts';
export type { SignupAnswer, SignupRequest } from '../contract/signup.ts';
export type { TickBatchAnswer } from '../contract/tickBatch.ts';
export type { LastAnswer, TickAnswer, TickRequestBody } from '../contract/tickForecast.ts';

/** Every code that a problem can carry, as literals. */
export type ErrorCode = Problem['code'];
/** One broken rule of one field of a request. */
export type FieldProblem = NonNullable<Problem['errors']>[number];
