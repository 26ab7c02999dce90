import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import * as account from './account.ts';
import { AlertRuleSchema } from './alertRule.ts';
import * as catalog from './catalog.ts';
import { ForecastDetailSchema, StatusSchema } from './forecastDetail.ts';
import { INPUT_NOTES, type InputNote, MemoryReasonSchema, NullReasonSchema } from './reasons.ts';
import * as health from './health.ts';
import { SERVER_MESSAGES, type ServerMessage } from './live.ts';
import * as markets from './markets.ts';
import { ChanceAboveSchema, RangeBandSchema, RangeCoverageSchema, TouchLevelSchema, TouchSchema } from './outlook.ts';
import { type Problem, ProblemSchema } from './problem.ts';
import { TickBatchAnswerSchema, TickBatchRequestSchema } from './tickBatch.ts';
import {
  HorizonsAnswerSchema,
  LastAnswerSchema,
  TickAnswerSchema,
  TickEntrySchema,
  TickRequestSchema,
  TrendSchema,
} from './tickForecast.ts';
import { BarRequestSchema, TICK_FORMS, TickListsSchema } from './tickForms.ts';
import { TrackRecordSchema } from './trackRecord.ts';
import * as webhooks from './webhooks.ts';

const { watched, error, ...ofSeries } = SERVER_MESSAGES;
type SeriesMessage = { [T in keyof typeof ofSeries]: ServerMessage<T> }[keyof typeof ofSeries];

/** The types of the wire by the name that the clients export, each before those that contain it. */
export const WIRE_SCHEMAS = {
  Problem: Type.Unsafe<Problem>(ProblemSchema),
  NullReason: NullReasonSchema,
  MemoryReason: MemoryReasonSchema,
  InputNote: Type.Unsafe<InputNote>({ type: 'string', enum: Object.keys(INPUT_NOTES) }),
  SeriesMemoryUse: ForecastDetailSchema.properties.memory,
  SeriesWeights: ForecastDetailSchema.properties.memory.properties.own,
  RangeCoverage: RangeCoverageSchema,
  RangeBand: RangeBandSchema,
  ChanceAbove: ChanceAboveSchema,
  TouchLevel: TouchLevelSchema,
  Touch: TouchSchema,
  ForecastDetail: ForecastDetailSchema,
  TickRequestBody: TickRequestSchema,
  TickEntry: TickEntrySchema,
  TickAnswer: TickAnswerSchema,
  LastAnswer: LastAnswerSchema,
  HorizonForecast: HorizonsAnswerSchema.properties.forecasts.items,
  HorizonsAnswer: HorizonsAnswerSchema,
  TickLists: TickListsSchema,
  TickBatchAnswer: TickBatchAnswerSchema,
  TrackRecordAnswer: TrackRecordSchema,
  SignupRequest: account.SignupRequestSchema,
  SignupAnswer: account.SignupAnswerSchema,
  MeAnswer: account.MeAnswerSchema,
  KeyAnswer: account.KeySchema,
  KeyListAnswer: account.KeyListSchema,
  KeyRequestBody: account.KeyRequestSchema,
  IssuedKeyAnswer: account.IssuedKeySchema,
  RotatedKeyAnswer: account.RotatedKeySchema,
  MessageAnswer: account.MessageSchema,
  AlertRule: AlertRuleSchema,
  WebhookRequestBody: webhooks.WebhookRequestSchema,
  WebhookChangeBody: webhooks.WebhookChangeSchema,
  WebhookAnswer: webhooks.WebhookSchema,
  WebhookListAnswer: webhooks.WebhookListSchema,
  AddedWebhookAnswer: webhooks.AddedWebhookSchema,
  WebhookTestAnswer: webhooks.WebhookTestSchema,
  FailedAlertsAnswer: webhooks.FailedAlertsSchema,
  LiveScore: SERVER_MESSAGES.score.properties.scores.items,
  MarketRequestBody: markets.MarketRequestSchema,
  MarketChangeBody: markets.MarketChangeSchema,
  MarketForecast: markets.MarketForecastSchema,
  MarketAnswer: markets.MarketSchema,
  MarketListAnswer: markets.MarketListSchema,
  MarketTicks: markets.MarketTicksSchema,
  MarketForecastsAnswer: markets.MarketForecastsSchema,
  ModelSummary: catalog.ModelSummarySchema,
  ModelListAnswer: catalog.ModelListAnswerSchema,
  ModelAnswer: catalog.ModelAnswerSchema,
  ModelFilesAnswer: catalog.ModelFilesAnswerSchema,
  RuleSetListAnswer: catalog.RuleSetListAnswerSchema,
  RuleSetAnswer: catalog.RuleSetAnswerSchema,
  LiveAnswer: health.LiveAnswerSchema,
  ReadyAnswer: health.ReadyAnswerSchema,
  LiveSeriesMessageOpened: ofSeries.opened,
  LiveSeriesMessageForecast: ofSeries.forecast,
  LiveSeriesMessageOutcome: ofSeries.outcome,
  LiveSeriesMessageScore: ofSeries.score,
  LiveSeriesMessageStatus: ofSeries.status,
  LiveSeriesMessage: Type.Unsafe<SeriesMessage>({ anyOf: Object.values(ofSeries) }),
  LiveCopy: SERVER_MESSAGES.watched.properties.copies.items,
  LiveServerMessage: Type.Unsafe<ServerMessage>({ anyOf: [...Object.values(ofSeries), watched, error] }),
} as const;

/** A type of the wire, by its name. */
export type Wire<Name extends keyof typeof WIRE_SCHEMAS> = Static<(typeof WIRE_SCHEMAS)[Name]>;

const detail = ForecastDetailSchema.properties;
const rule = detail.rules.items.properties;
const { drift } = catalog.ModelAnswerSchema.properties;
const summary = catalog.ModelSummarySchema.properties;
const alerts = webhooks.ALERT_SCHEMAS;
const ready = health.ReadyAnswerSchema.properties;

/** What the OpenAPI document names in addition: the parts of these types, the forms of ticks, and the alerts. */
const PARTS: Readonly<Record<string, object>> = {
  InputNote: detail.input.properties.notes.items,
  FieldProblem: ProblemSchema.properties.errors.items,
  TrendIdentified: TrendSchema,
  ForecastStatus: StatusSchema,
  ForecastReason: detail.reasons.items,
  ForecastModel: detail.model,
  Opportunity: detail.opportunity,
  Direction: detail.direction,
  Logit: detail.logit.anyOf[0],
  RuleSetReference: detail.ruleset,
  RuleLiteral: rule.literals.items,
  RuleResult: detail.rules.items,
  PriceLevel: detail.levels.items,
  Counterfactual: detail.counterfactual.anyOf[0],
  InputSummary: detail.input,
  Timings: detail.timings_ms,
  BarRequestBody: BarRequestSchema,
  EpochTickRequestBody: TICK_FORMS.future.epochPrices,
  QuoteRequestBody: TICK_FORMS.future.textQuotes,
  EpochQuoteRequestBody: TICK_FORMS.future.epochQuotes,
  ObservedTicks: TICK_FORMS.observed.textPrices,
  TickBatchRequestBody: TickBatchRequestSchema,
  BatchForecast: TickBatchAnswerSchema.properties.results.items.anyOf[0],
  BatchProblem: TickBatchAnswerSchema.properties.results.items.anyOf[1],
  TrackRecordBin: TrackRecordSchema.properties.rows.items.properties.bins.items,
  TrackRecordCoverage: TrackRecordSchema.properties.rows.items.properties.coverage.items,
  TrackRecordCoverageSum: TrackRecordSchema.properties.sum.properties.coverage.items,
  BaseRateSums: TrackRecordSchema.properties.rows.items.properties.base_rate_sums.anyOf[0],
  TouchSums: TrackRecordSchema.properties.rows.items.properties.touch_sums,
  TouchRecord: TrackRecordSchema.properties.sum.properties.touches,
  TrackRecordRow: TrackRecordSchema.properties.rows.items,
  TrackRecordSum: TrackRecordSchema.properties.sum,
  KeyOfRequest: account.MeAnswerSchema.properties.key,
  ReplacedKey: account.RotatedKeySchema.properties.replaced,
  SessionRequestBody: account.SessionRequestSchema,
  SessionAnswer: account.SessionSchema,
  SessionListAnswer: account.SessionListSchema,
  PasswordRequestBody: account.PasswordRequestSchema,
  MarketOutcome: markets.MarketForecastSchema.properties.outcome.anyOf[0],
  MarketHorizon: markets.MarketSchema.properties.forecasts.items,
  FailedAlert: webhooks.FailedAlertsSchema.properties.failed.items,
  ModelHead: summary.heads.items,
  BarHead: summary.bars.items,
  WindowTicks: summary.window_ticks.items,
  GateResult: summary.gate,
  TrainedRange: summary.trained,
  DriftOfColumn: drift.properties.columns.anyOf[0].items,
  ModelDrift: drift,
  RuleSetSummary: catalog.RuleSetListAnswerSchema.properties.rulesets.items,
  Rule: catalog.RuleSetAnswerSchema.properties.rules.items,
  Predicate: catalog.RuleSetAnswerSchema.properties.predicates.items,
  RefusedBackend: ready.refused.items,
  IndexAnswer: health.IndexAnswerSchema,
  MarkedForecast: alerts.ForecastMarkedAlert.properties.data,
  NarrowRange: webhooks.NarrowRangeSchema,
  WorseRecord: alerts.RecordWorseAlert.properties.data,
  TestMessage: alerts.TestAlert.properties.data,
  ...alerts,
};

/** Every schema that the OpenAPI document may refer to, by name. */
export const NAMED_SCHEMAS: Readonly<Record<string, object>> = { ...WIRE_SCHEMAS, ...PARTS };
