// Written by `npm run docs:reference` from the JSON Schemas in src/contract.

export type Problem = {
  /** URN that identifies the kind of error; not a link. */
  type: string;
  title: string;
  status: number;
  detail: string;
  code: "request.malformed_http" | "request.malformed_json" | "request.duplicate_key" | "request.timeout" | "request.too_large" | "request.media_type_unsupported" | "request.encoding_unsupported" | "request.invalid" | "request.headers_too_large" | "route.not_found" | "route.method_not_allowed" | "request.host_refused" | "cors.origin_refused" | "auth.key_refused" | "auth.password_refused" | "limit.exceeded" | "account.unknown" | "account.too_many_keys" | "key.unknown" | "session.origin_refused" | "session.link_refused" | "session.unknown" | "account.too_many_webhooks" | "webhook.unknown" | "account.too_many_markets" | "market.exists" | "market.unknown" | "account.email_taken" | "account.signup_closed" | "account.busy" | "model.unknown" | "rules.unknown" | "service.not_ready" | "store.unavailable" | "inference.overloaded" | "inference.deadline" | "inference.failed" | "internal.unexpected" | "settings.invalid" | "command.invalid" | "server.cannot_listen" | "server.unreachable" | "runtime.refused" | "native.not_possible" | "native.step_failed" | "model.refused" | "model.not_promotable" | "model.no_way_back" | "model.registry_busy" | "rules.refused" | "store.refused" | "accounts.conflict" | "backup.refused" | "file.unreadable" | "file.unwritable" | "feed.failed" | "file.malformed" | "training.too_little_data" | "training.diverged" | "training.stopped";
  /** Equal to the X-Request-Id header; quote it to the operator. */
  requestId: string;
  /** Equal to the Retry-After header, which the items of a batch cannot have. */
  retryAfterSeconds?: number;
  /** The broken rules, for request.invalid. */
  errors?: {
    /** JSON Pointer into the body, or ?name for a query parameter. */
    pointer: string;
    code: "body.not_object" | "field.missing" | "field.unknown" | "field.wrong_type" | "field.too_short" | "field.too_long" | "field.malformed" | "field.out_of_range" | "message.type_unknown" | "series.unknown" | "series.other_kind" | "series.already_open" | "series.too_many" | "forecast.id_repeated" | "forecasts.too_few" | "forecasts.too_many" | "items.too_few" | "items.too_many" | "ticks.empty" | "ticks.too_few" | "ticks.too_many" | "ticks.lengths_differ" | "bars.range_broken" | "bars.no_period" | "bars.period_out_of_range" | "bars.ranges_differ" | "bar_time.required" | "timestamp.malformed" | "timestamp.not_a_time" | "timestamp.out_of_range" | "timestamp.offset_unsupported" | "timestamp.epoch_malformed" | "timestamp.step_back" | "timestamp.not_increasing" | "timestamp.future_not_later" | "price.not_finite" | "price.not_positive" | "price.too_large" | "price.future_not_zero" | "email.malformed" | "email.reserved" | "password.too_short" | "password.too_long" | "password.not_confirmed" | "company_id.too_long" | "key_name.length" | "expires_at.malformed" | "expires_at.out_of_range" | "webhook.url_refused" | "webhook.event_unknown" | "market.exchange_unknown" | "query.unknown" | "query.repeated" | "query.malformed" | "query.without_bars" | "horizon_bars.out_of_range" | "min_move_bps.out_of_range" | "min_move_bps.cost_unknown" | "min_probability.out_of_range" | "mark_rate.out_of_range" | "range.out_of_range" | "above.out_of_range" | "touch.out_of_range" | "mark_rate.with_probability";
    /** Names the field, the rule and the value. */
    detail: string;
    /** How to fix it. */
    hint: string;
  }[];
};

/** below_threshold: The probability is below the decision threshold. vetoed_by_rule: A rule forbids a mark on this window. abstained_by_rule: A rule that forbids marks cannot be ruled out on this window. head_abstains: The model has no decision threshold that met its precision rule for this horizon. Send your own as min_probability. rate_unknown: Fewer than 200 forecasts of the series are known: its mark_rate has no probability yet. horizon_untrained: The horizon is outside the trained range. density_untrained: The ticks are denser or sparser than the trained range. threshold_untrained: The threshold is outside the trained range. too_few_distinct_ticks: Fewer than 40 distinct timestamps are left after the last session gap. window_without_duration: All ticks have the same timestamp. constant_price: The price is constant within the window. level_changed: The price changes its level in one step, as by a split. Send what follows alone, or adjust what is before. feature_not_finite: A feature of the window is not a finite number. */
export type NullReason = "below_threshold" | "vetoed_by_rule" | "abstained_by_rule" | "head_abstains" | "rate_unknown" | "horizon_untrained" | "density_untrained" | "threshold_untrained" | "too_few_distinct_ticks" | "window_without_duration" | "constant_price" | "level_changed" | "feature_not_finite";

/** version_without_memory: The version does not use the memory of a series. other_origin: The memory knows later ticks than this window: it would look into the future. other_period: The memory is that of ticks, or of bars of another period. store_unavailable: The account store did not answer. too_many_series: The account has too many series in use. */
export type MemoryReason = "version_without_memory" | "other_origin" | "other_period" | "store_unavailable" | "too_many_series";

export type InputNote = "session_gap_cut" | "equal_stamps" | "sub_ms_cut" | "crossed_quotes" | "few_distinct_ticks" | "cost_from_prices_alone" | "threshold_below_cost" | "seen_in_training" | "bar_time_doubtful" | "model_is_synthetic";

/** Only with series: what earlier ticks and outcomes of the series say. */
export type SeriesMemoryUse = {
  used: boolean;
  reason: MemoryReason | null;
  since: string | null;
  /** Forecasts of this horizon whose outcomes it knows. */
  outcomes: number;
  inputs: Record<string, number | null> | null;
  /** Weights that the series has learned from its outcomes. */
  own?: {
    outcomes: number;
    /** Contained in logit.memory. */
    part: number;
    weights: Record<string, number>;
  };
};

/** Weights that the series has learned from its outcomes. */
export type SeriesWeights = {
  outcomes: number;
  /** Contained in logit.memory. */
  part: number;
  weights: Record<string, number>;
};

/** Ranges of this level and horizon of the series whose outcome is known, and the fraction that held; of 0.5, 0.8 and 0.9. */
export type RangeCoverage = {
  outcomes: number;
  covered: number;
};

/** The range that the price is in at the future timestamp with the probability `level`. */
export type RangeBand = {
  /** As it was sent. */
  level: number;
  move_bps: number | null;
  low: number | null;
  high: number | null;
  /** Why there is none. range_untrained: it ends beyond the trained thresholds. Others: as for a null. */
  reason: NullReason | "range_untrained" | null;
  coverage: RangeCoverage | null;
};

/** With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5. */
export type ChanceAbove = {
  /** As it was sent. */
  price: number;
  probability: number | null;
  /** As in RangeBand. */
  reason: NullReason | "range_untrained" | null;
};

/** The probability that a price after the entry, up to the future timestamp, is at or beyond this one. */
export type TouchLevel = {
  /** As it was sent. */
  price: number;
  probability: number | null;
  /** Without the outcomes of the series. */
  version_probability: number | null;
  /** Of a driftless normal price. */
  baseline_probability: number | null;
  /** With first: that it is reached before the other price. Both and `neither` add up to 1. */
  first?: number | null;
  /** As in RangeBand. */
  reason: NullReason | "range_untrained" | null;
};

/** Whether prices are reached before the future timestamp. No direction is claimed. */
export type Touch = {
  /** One for each price, as sent. */
  levels: TouchLevel[];
  /** What reaches them. Absent: the price. */
  by?: "limit" | "stop" | "mid";
  /** Outcomes of the series that correct the probabilities. */
  outcomes: number;
  /** The ranges that all prices until then stay in with the probabilities 0.5, 0.8 and 0.9. */
  reach: RangeBand[];
  /** With first: that neither of the two prices is reached. */
  neither?: number | null;
};

export type ForecastDetail = {
  model: {
    id: string;
    /** Horizon bucket of the head that computed the forecast. */
    head: string;
  };
  /** Future timestamp minus last tick. */
  horizon_ms: number;
  opportunity: {
    probability: number | null;
    decision_threshold: number | null;
    min_move_bps: number | null;
  };
  direction: {
    probability_up: number | null;
    called: "up" | "down" | null;
  };
  /** identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market. */
  status: "identified" | "none" | "abstained";
  /** Empty for a mark. */
  reasons: {
    /** below_threshold: The probability is below the decision threshold. vetoed_by_rule: A rule forbids a mark on this window. abstained_by_rule: A rule that forbids marks cannot be ruled out on this window. head_abstains: The model has no decision threshold that met its precision rule for this horizon. Send your own as min_probability. rate_unknown: Fewer than 200 forecasts of the series are known: its mark_rate has no probability yet. horizon_untrained: The horizon is outside the trained range. density_untrained: The ticks are denser or sparser than the trained range. threshold_untrained: The threshold is outside the trained range. too_few_distinct_ticks: Fewer than 40 distinct timestamps are left after the last session gap. window_without_duration: All ticks have the same timestamp. constant_price: The price is constant within the window. level_changed: The price changes its level in one step, as by a split. Send what follows alone, or adjust what is before. feature_not_finite: A feature of the window is not a finite number. */
    code: NullReason;
    rule?: string;
    text: string;
  }[];
  logit: {
    baseline: number;
    network: number;
    /** Contribution of the memory of the series, if it was used. */
    memory?: number;
    rules: number;
    total: number;
  } | null;
  /** Only with series: what earlier ticks and outcomes of the series say. */
  memory?: SeriesMemoryUse;
  ruleset: {
    id: string;
    hash: string;
  };
  rules: {
    id: string;
    text: string;
    /** Lower and upper bound of the truth; [0, 1] is unknown. */
    truth: [number, number];
    /** Log-odds; the contributions sum to logit.rules. */
    contribution: number;
    literals: {
      predicate: string;
      negated: boolean;
      /** Lower and upper bound of the truth; [0, 1] is unknown. */
      truth: [number, number];
      value: number | null;
    }[];
  }[];
  levels: {
    price: number;
    /** support: below the last price; resistance: not below it. */
    kind: "support" | "resistance";
    touches: number;
  }[];
  counterfactual: {
    min_move_bps: number;
  } | null;
  input: {
    ticks: number;
    distinct_ticks: number | null;
    median_gap_ms: number | null;
    /** Length of the bars; absent for ticks. */
    bar_period_ms?: number;
    /** With the note bar_time_doubtful. */
    bar_time_evidence?: string;
    cost_bps: number | null;
    volatility_bps_per_sqrt_s: number | null;
    notes: ("session_gap_cut" | "equal_stamps" | "sub_ms_cut" | "crossed_quotes" | "few_distinct_ticks" | "cost_from_prices_alone" | "threshold_below_cost" | "seen_in_training" | "bar_time_doubtful" | "model_is_synthetic")[];
  };
  timings_ms: {
    parse: number;
    features: number;
    /** From submitting the row to receiving its result, queueing included. */
    network: number;
    rules: number;
    total: number;
  };
  /** With range: one for each level, as sent. */
  range?: RangeBand[];
  /** With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5. */
  above?: ChanceAbove;
  /** Whether prices are reached before the future timestamp. No direction is claimed. */
  touch?: Touch;
  /** Why the memory of the series was not used. Absent: it was, or there is no series. */
  memory_unused?: MemoryReason;
};

export type TickRequestBody = {
  /** YYYY-MM-DD HH:MM:SS.fff, chronological, in UTC; equal timestamps are allowed. The last is the future timestamp, strictly later. 0 to 9 digits of fraction; T instead of the space, a colon before the fraction, and a trailing Z or an offset such as +02:00 are accepted. 500 entries are recommended. */
  Timestamp: string[];
  /** One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown. */
  Price: number[];
};

export type TickEntry = {
  /** 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick. */
  trend_identified: 1 | null;
  /** With range: one for each level, as sent. */
  range?: RangeBand[];
  /** With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5. */
  above?: ChanceAbove;
  /** Whether prices are reached before the future timestamp. No direction is claimed. */
  touch?: Touch;
  /** Why the memory of the series was not used. Absent: it was, or there is no series. */
  memory_unused?: MemoryReason;
  detail?: ForecastDetail;
};

export type TickAnswer = Record<string, TickEntry>;

export type LastAnswer = {
  /** The future timestamp, as it was sent. */
  timestamp: string;
  /** 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick. */
  trend_identified: 1 | null;
  /** identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market. */
  status: "identified" | "none" | "abstained";
  /** Code of the first reason of the null, as `detail.reasons` lists them: rules in the order of the rule set, then horizon, density, threshold, then the decision threshold. null: trend_identified is 1. */
  reason: NullReason | null;
  probability?: number | null;
  /** Smallest probability that is marked; null: there is none. */
  decision_threshold?: number | null;
  /** The threshold of this forecast; null: it could not be computed. */
  min_move_bps?: number | null;
  /** With range: one for each level, as sent. */
  range?: RangeBand[];
  /** With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5. */
  above?: ChanceAbove;
  /** Whether prices are reached before the future timestamp. No direction is claimed. */
  touch?: Touch;
  /** Why the memory of the series was not used. Absent: it was, or there is no series. */
  memory_unused?: MemoryReason;
  detail?: ForecastDetail;
};

export type HorizonForecast = {
  /** As it was sent. */
  horizon: string;
  /** The same as `future`. */
  timestamp: string;
  /** The future timestamp: the last tick plus the horizon, in UTC; of numbers, a number as text. */
  future: string;
  /** The threshold of this forecast; null: it could not be computed. */
  min_move_bps: number | null;
  probability: number | null;
  /** Smallest probability that is marked; null: there is none. */
  decision_threshold: number | null;
  /** 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick. */
  trend_identified: 1 | null;
  /** identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market. */
  status: "identified" | "none" | "abstained";
  /** As in LastAnswer. */
  reason: NullReason | null;
  /** With range: one for each level, as sent. */
  range?: RangeBand[];
  /** With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5. */
  above?: ChanceAbove;
  /** Whether prices are reached before the future timestamp. No direction is claimed. */
  touch?: Touch;
  /** Why the memory of the series was not used. Absent: it was, or there is no series. */
  memory_unused?: MemoryReason;
  detail?: ForecastDetail;
};

export type HorizonsAnswer = {
  /** One for each horizon and threshold: horizons in the order sent, and thresholds within each. */
  forecasts: HorizonForecast[];
};

export type TickLists = {
  /** Texts, as in TickRequestBody. */
  Timestamp: string[];
  /** One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown. */
  Price: number[];
} | {
  /** Integer milliseconds (13 digits) or microseconds (16) since 1970, UTC, all in one unit; otherwise as texts. */
  Timestamp: number[];
  /** One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown. */
  Price: number[];
} | {
  /** Texts, as in TickRequestBody. */
  Timestamp: string[];
  /** One bid for each timestamp, in place of Price: the price is the mid of bid and ask, rounded to 9 decimals, below 1 to 9 digits after the leading zeros. */
  Bid: number[];
  /** One ask for each timestamp. */
  Ask: number[];
} | {
  /** Integer milliseconds (13 digits) or microseconds (16) since 1970, UTC, all in one unit; otherwise as texts. */
  Timestamp: number[];
  /** One bid for each timestamp, in place of Price: the price is the mid of bid and ask, rounded to 9 decimals, below 1 to 9 digits after the leading zeros. */
  Bid: number[];
  /** One ask for each timestamp. */
  Ask: number[];
} | {
  /** Beginnings or ends of bars of one length, 1 s to 1 day, as `bar_time` says; increasing, bars may be missing. The last is the future timestamp. */
  Timestamp: string[] | number[];
  /** One for each timestamp, by the rules of Price. */
  Close: number[];
  /** Open, High and Low: all three or none; low <= open, close <= high. */
  Open?: number[];
  High?: number[];
  Low?: number[];
  /** Bars of 0 that repeat a close are left out. */
  Volume?: (number | null)[];
};

export type TickBatchAnswer = {
  /** One for each item, in the same order. */
  results: ({
    status: 200;
    /** The answer of POST /auth/ti-tick. */
    body: LastAnswer | HorizonsAnswer | TickAnswer;
  } | {
    status: number;
    problem: Problem;
  })[];
};

export type TrackRecordAnswer = {
  /** Whether the service keeps track records (TRACK_RECORD). */
  kept: boolean;
  /** Ordered by day, series, version, bucket and threshold; days without forecasts have no row. */
  rows: {
    /** UTC day, YYYY-MM-DD, by the clock of the service. */
    day: string;
    series: string;
    /** Id of the version. */
    model: string;
    /** Horizon bucket of the head that computed the forecast. */
    bucket: string;
    /** Whether the request named min_move_bps. */
    own_threshold: boolean;
    /** Forecasts that were made. */
    forecasts: number;
    /** Forecasts that were compared with what came true. */
    outcomes: number;
    /** Without an outcome: it is pending, cannot be known (a session gap, missing ticks), or was lost by a restart. */
    unscored: number;
    /** Of the outcomes: forecasts with trend_identified 1. */
    marks: number;
    /** Of the marks: those that came true. */
    hits: number;
    /** Of the outcomes: moves larger than the threshold. */
    moved: number;
    /** Sum over the outcomes of (probability − moved)². */
    brier_sum: number;
    /** The same for the volatility baseline, whose slope and intercept follow the outcomes before each forecast. */
    baseline_brier_sum: number;
    /** Sum over the marks of their overlap in time, 1 without any: marks² / this sum count in the interval of hits / marks. */
    mark_overlap_sum: number;
    /** Sum of the squared differences of both, each times the number of overlapping horizons; for the interval. */
    squared_difference_sum: number;
    /** The same sums for the base rate so far; null: an earlier release has counted. */
    base_rate_sums: {
      outcomes: number;
      brier_sum: number;
      forecast_brier_sum: number;
      squared_difference_sum: number;
    } | null;
    /** As base_rate_sums, of touch. The rival: a driftless normal. */
    touch_sums?: {
      outcomes: number;
      /** Prices that are known. */
      levels: number;
      reached: number;
      brier_sum: number;
      forecast_brier_sum: number;
      squared_difference_sum: number;
    };
    /** Outcomes by tenths of the probability, for the calibration: moved / outcomes over probability_sum / outcomes. Empty bins are left out. */
    bins: {
      /** The probability was from this number to 0.1 above it. */
      from: number;
      /** Outcomes in this bin. */
      outcomes: number;
      /** Of them: moves larger than the threshold. */
      moved: number;
      /** Sum of their probabilities. */
      probability_sum: number;
    }[];
    /** The ranges that were asked for, by level. */
    coverage: {
      /** 0.5, 0.8 or 0.9. */
      level: number;
      /** Ranges of this level whose move is known. */
      outcomes: number;
      /** Of them: moves within the range. */
      covered: number;
      /** Sum of the numbers of overlapping horizons; for the interval. */
      overlap_sum: number;
    }[];
  }[];
  /** Of all rows. */
  sum: {
    /** Forecasts that were made. */
    forecasts: number;
    /** Forecasts that were compared with what came true. */
    outcomes: number;
    /** Without an outcome: it is pending, cannot be known (a session gap, missing ticks), or was lost by a restart. */
    unscored: number;
    /** Of the outcomes: forecasts with trend_identified 1. */
    marks: number;
    /** Of the marks: those that came true. */
    hits: number;
    /** Of the outcomes: moves larger than the threshold. */
    moved: number;
    /** hits / marks; null without a mark. */
    precision: number | null;
    /** 90 % interval of precision; marks that overlap in time count as one as far as they overlap. */
    precision_interval: [number, number] | null;
    /** moved / outcomes: the precision of marking everything; null without an outcome. */
    base_rate: number | null;
    /** Mean of (probability − moved)²: smaller is better; null without an outcome. */
    brier: number | null;
    /** The same for the recalibrated volatility baseline. */
    baseline_brier: number | null;
    /** The same for the base rate so far: the fraction of the outcomes before each forecast that moved. */
    base_rate_brier: number | null;
    /** Of touch, against a driftless normal. */
    touches?: {
      outcomes: number;
      levels: number;
      reached: number;
      brier: number;
      baseline_brier: number;
      difference: number;
      /** 99 %. */
      interval: [number, number];
    };
    /** As in a row. */
    bins: {
      /** The probability was from this number to 0.1 above it. */
      from: number;
      /** Outcomes in this bin. */
      outcomes: number;
      /** Of them: moves larger than the threshold. */
      moved: number;
      /** Sum of their probabilities. */
      probability_sum: number;
    }[];
    /** The ranges by level. */
    coverage: {
      /** 0.5, 0.8 or 0.9. */
      level: number;
      /** Ranges of this level whose move is known. */
      outcomes: number;
      /** Of them: moves within the range. */
      covered: number;
      /** Sum of the numbers of overlapping horizons; for the interval. */
      overlap_sum: number;
      /** covered / outcomes: should be the level. */
      share: number;
      /** 99 % interval of the share; overlapping horizons count as one. */
      interval: [number, number];
    }[];
  };
  /** The forecasts against the rival, by the Brier score; too_few: the interval contains 0, or there are too few outcomes. */
  conclusion: "better" | "worse" | "too_few";
  /** baseline_brier − brier: above 0, the forecasts are better; null without an outcome. */
  difference: number | null;
  /** 99 % interval of the difference. */
  interval: [number, number] | null;
  /** base_rate_brier - brier. */
  base_rate_difference: number | null;
  /** 99 % interval of base_rate_difference. */
  base_rate_interval: [number, number] | null;
  /** The better baseline: the conclusion refers to it. */
  rival: "baseline" | "base_rate" | null;
};

export type SignupRequest = {
  /** Your name for your company; optional. */
  company_id?: string;
  /** E-mail address; each address can have one account. */
  email: string;
  /** At least 8 alphanumeric characters; other characters are allowed too. At most 1,024 bytes of UTF-8. */
  password: string;
  /** The same text as password. */
  confirm_password: string;
};

export type SignupAnswer = {
  message: string;
  email: string;
  /** Shown only in this answer: the service stores a digest alone. */
  api_key: string;
};

export type MeAnswer = {
  email: string;
  company_id: string | null;
  key: {
    id: string;
    /** First characters of the key, to tell keys apart. */
    prefix: string;
    name: string | null;
    /** ISO 8601, UTC. */
    created_at: string;
    /** When the key ends, including a grace time; null: never. */
    expires_at: string | null;
  };
};

export type KeyAnswer = {
  id: string;
  /** First characters of the key, to tell keys apart. */
  prefix: string;
  name: string | null;
  /** active and grace keys work; grace: replaced by a rotation, until grace_until. */
  status: "active" | "grace" | "expired" | "revoked";
  /** ISO 8601, UTC. */
  created_at: string;
  /** null: never. */
  expires_at: string | null;
  /** null: not rotated. */
  grace_until: string | null;
  /** null: not revoked. */
  revoked_at: string | null;
  /** To the minute, about a minute late; null: never used. */
  last_used_at: string | null;
  /** On this UTC day, about a minute late. */
  forecasts_today: number;
  forecasts_30_days: number;
  /** Refused by a limit. */
  refused_today: number;
  refused_30_days: number;
};

export type KeyListAnswer = {
  keys: KeyAnswer[];
};

export type KeyRequestBody = {
  /** Your name for the key, 1 to 64 characters. */
  name?: string;
  /** ISO 8601, UTC, within ten years; absent: never. */
  expires_at?: string;
};

export type IssuedKeyAnswer = {
  message: string;
  id: string;
  /** Shown only in this answer: the service stores a digest alone. */
  api_key: string;
  name: string | null;
  /** null: never. */
  expires_at: string | null;
};

export type RotatedKeyAnswer = {
  message: string;
  id: string;
  /** Shown only in this answer: the service stores a digest alone. */
  api_key: string;
  name: string | null;
  /** null: never. */
  expires_at: string | null;
  replaced: {
    id: string;
    /** ISO 8601, UTC. */
    works_until: string;
  };
};

export type MessageAnswer = {
  message: string;
  email: string;
};

/** Which forecasts are told; default: marks. All that is named must hold. */
export type AlertRule = {
  /** Only forecasts of this series. */
  series?: string;
  /** Only forecasts this far ahead: 60s, 5m, 1h. */
  horizon?: string;
  /** Of the move or the touch. Default: that of a mark; of a touch 0.5. */
  min_probability?: number;
  /** Your cost: the least threshold of a forecast. */
  min_move_bps?: number;
  /** In place of moves: this price is likely to be reached. Forecasts must ask for it with touch. */
  touch?: number;
  /** At most one alert of a series in this time. */
  pause_minutes?: number;
  /** No alert from this time up to that one, HH:MM-HH:MM, UTC. */
  quiet_hours?: string;
};

export type WebhookRequestBody = {
  /** https URL of a public address, without user name or fragment; at most 2048 characters. */
  url: string;
  /** Default: all. forecast.marked: a mark, or what meets the rule, of a live series or of a request with ?series=. forecast.settled: what came true after it. record.worse: the last 30 days of the track record are now worse than the baseline, or its ranges too narrow. */
  events?: string[];
  /** Which forecasts are told; default: marks. All that is named must hold. */
  rule?: AlertRule;
  /** json (default): the signed JSON. Others: a message in words. url: of the bot (https://api.telegram.org/bot<token>), the incoming webhook or the topic. */
  format?: "json" | "telegram" | "slack" | "discord" | "ntfy";
  /** With telegram: the chat. */
  chat_id?: string;
};

export type WebhookAnswer = {
  id: string;
  url: string;
  /** As in WebhookRequestBody. */
  events: string[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** Which forecasts are told; default: marks. All that is named must hold. */
  rule?: AlertRule;
  /** As in WebhookRequestBody. */
  format?: "json" | "telegram" | "slack" | "discord" | "ntfy";
  chat_id?: string;
};

export type WebhookListAnswer = {
  webhooks: WebhookAnswer[];
};

export type AddedWebhookAnswer = {
  message: string;
  id: string;
  url: string;
  /** As in WebhookRequestBody. */
  events: string[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** Which forecasts are told; default: marks. All that is named must hold. */
  rule?: AlertRule;
  /** As in WebhookRequestBody. */
  format?: "json" | "telegram" | "slack" | "discord" | "ntfy";
  chat_id?: string;
  /** Signs the alerts. Shown only in this answer. */
  secret: string;
};

export type WebhookTestAnswer = {
  /** Whether the target answered with a 2xx status. */
  delivered: boolean;
  /** HTTP status of the target; null: there was no answer. */
  status: number | null;
  /** Why it was not delivered. */
  error: string | null;
};

export type FailedAlertsAnswer = {
  /** Alerts that were given up, newest first; the newest 100 are kept. */
  failed: {
    /** The webhook-id of its attempts. */
    id: string;
    type: string;
    /** ISO 8601, UTC. */
    created_at: string;
    /** ISO 8601, UTC. */
    failed_at: string;
    attempts: number;
    /** Of the last attempt. */
    error: string | null;
  }[];
};

export type LiveScore = {
  /** Name of the forecast; default: its horizon. */
  id: string;
  since: string | null;
  forecasts: number;
  /** Forecasts whose outcome is known and that had a probability. */
  outcomes: number;
  /** Forecasts that will never have an outcome. The rest is pending. */
  unscored: number;
  marks: number;
  /** Marks that came true. */
  hits: number;
  hit_interval: [number, number] | null;
  base_rate: number | null;
  brier: number | null;
  baseline_brier: number | null;
  /** The same for the base rate so far: the fraction of the outcomes before each forecast that moved. */
  base_rate_brier: number | null;
  difference: number | null;
  interval: [number, number] | null;
  /** base_rate_brier - brier. */
  base_rate_difference: number | null;
  /** 99 % interval of base_rate_difference. */
  base_rate_interval: [number, number] | null;
  /** The better baseline: the conclusion refers to it. */
  rival: "baseline" | "base_rate" | null;
  /** Against the rival; too_few: the interval contains 0, or there are fewer than 40 moves or other outcomes. */
  conclusion: "better" | "worse" | "too_few";
};

export type MarketRequestBody = {
  /** Such as binance; or ccxt:NAME where the package ccxt is installed. */
  exchange: string;
  /** Such as BTC/USDT. */
  symbol: string;
  /** Default: trades. quotes: the mid of best bid and ask. bars: made of trades by the service. */
  kind?: "trades" | "quotes" | "bars";
  /** Length of the bars; default: 1m. */
  period?: string;
  /** Up to 8 different ones: 60s, 5m, of bars 3bars. */
  horizons: string[];
  /** As `every` of a live forecast; default: 5s, of bars tick. */
  every?: string;
  cost_bps?: number | null;
  alert?: AlertRule | null;
};

/** As in MarketRequestBody. What is left out stays. A change counts from the next forecast on. */
export type MarketChangeBody = {
  horizons?: string[];
  every?: string;
  cost_bps?: number | null;
  alert?: AlertRule | null;
};

export type MarketForecast = {
  /** Number of the forecast. */
  n: number;
  /** Number of its last change, such as its outcome. */
  change: number;
  horizon: string;
  /** The last tick that it used. */
  last_tick: string;
  price: number;
  /** The future timestamp. */
  future: string;
  probability: number | null;
  volatility_probability: number | null;
  usual_rate: number | null;
  decision_threshold: number | null;
  min_move_bps: number | null;
  /** Whether the forecast is 1. */
  marked: boolean;
  /** identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market. */
  status: "identified" | "none" | "abstained";
  /** Empty for a mark. */
  reasons: NullReason[];
  model: string;
  outcome: {
    moved: boolean | null;
    move_bps: number | null;
    reason: string | null;
  } | null;
};

export type MarketAnswer = {
  id: string;
  exchange: string;
  symbol: string;
  /** trades, quotes or bars. */
  kind: "trades" | "quotes" | "bars";
  period: string | null;
  horizons: string[];
  every: string;
  cost_bps: number | null;
  alert: AlertRule | null;
  /** Names its series in the track record. */
  series: string;
  /** ISO 8601, UTC. */
  created_at: string;
  /** connecting: no tick yet. gap: ticks are missing; forecasts begin again with 199 new ones. stopped: by FEEDS or FEED_HOSTS. failed: tried again. */
  state: "connecting" | "live" | "gap" | "stopped" | "failed";
  reason: string | null;
  /** Of this state. ISO 8601, UTC. */
  since: string;
  last_tick: string | null;
  price: number | null;
  /** Kept ones; forecasts start at 199. */
  ticks: number;
  spread_bps: number | null;
  /** One of each horizon; the score is since the threshold was set. */
  forecasts: {
    horizon: string;
    last: MarketForecast | null;
    score: LiveScore | null;
  }[];
};

export type MarketListAnswer = {
  markets: MarketAnswer[];
};

/** What changed after a change: ask again with `?after=` and `last`. */
export type MarketForecastsAnswer = {
  /** In the order of `change`; one with a known `n` replaces it. */
  forecasts: MarketForecast[];
  last: number;
  /** Whether another page follows `last`. */
  more: boolean;
  /** Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing. */
  ticks?: {
    first: number;
    Timestamp: string[];
    Price: number[];
    Open?: number[];
    High?: number[];
    Low?: number[];
  };
};

/** Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing. */
export type MarketTicks = {
  first: number;
  Timestamp: string[];
  Price: number[];
  Open?: number[];
  High?: number[];
  Low?: number[];
};

export type ModelSummary = {
  id: string;
  created_at: string;
  /** Whether this is the default version. */
  default: boolean;
  /** Trained on generated ticks only: for evaluation, not for trading. */
  synthetic: boolean;
  kind: "base" | "fine_tune";
  /** The version that was tuned; null for a base. */
  parent: string | null;
  /** The result of the promotion gate, on ticks that were not used in training. */
  gate: {
    verdict: "passed" | "not_passed" | "not_judged";
    /** The version that it was compared with; null: only the volatility baseline. */
    against: string | null;
    /** The decision in words. */
    summary: string;
  };
  trained: {
    /** Horizons covered by the training rows, in seconds, both ends included. */
    horizon_s: [number, number];
    /** Horizon divided by the length of the window. */
    horizon_to_window: [number, number];
    /** Median gap between ticks, in seconds. */
    median_gap_s: [number, number];
    /** ln(threshold / default threshold of the request). */
    log_threshold_ratio: [number, number];
  };
  heads: {
    /** Horizon bucket of this head. */
    name: string;
    /** Whether this head may return a direction. */
    direction_passed: boolean;
    /** Smallest probability that is marked if the request names none; null: the head then never gives a mark. */
    decision_threshold: number | null;
  }[];
  /** Lengths of bars and horizons with a head; others from 10 s to 5 min and from 5 bars to 2 h use the nearest. Empty: no bars. */
  bars: {
    period_s: number;
    horizon_s: number;
    /** As of heads. */
    decision_threshold: number | null;
  }[];
  /** Ticks that suit each horizon, shortest first: what console, commands and clients send by default. */
  window_ticks: {
    /** Longest horizon, in seconds; null: no limit. */
    up_to_s: number | null;
    /** Ticks of a window, the future timestamp not counted. */
    ticks: number;
    /** The same with the memory of a series. */
    with_memory: number;
  }[];
};

export type ModelListAnswer = {
  default: string;
  models: ModelSummary[];
};

export type ModelAnswer = {
  id: string;
  created_at: string;
  /** Whether this is the default version. */
  default: boolean;
  /** Trained on generated ticks only: for evaluation, not for trading. */
  synthetic: boolean;
  kind: "base" | "fine_tune";
  /** The version that was tuned; null for a base. */
  parent: string | null;
  /** The result of the promotion gate, on ticks that were not used in training. */
  gate: {
    verdict: "passed" | "not_passed" | "not_judged";
    /** The version that it was compared with; null: only the volatility baseline. */
    against: string | null;
    /** The decision in words. */
    summary: string;
  };
  trained: {
    /** Horizons covered by the training rows, in seconds, both ends included. */
    horizon_s: [number, number];
    /** Horizon divided by the length of the window. */
    horizon_to_window: [number, number];
    /** Median gap between ticks, in seconds. */
    median_gap_s: [number, number];
    /** ln(threshold / default threshold of the request). */
    log_threshold_ratio: [number, number];
  };
  heads: {
    /** Horizon bucket of this head. */
    name: string;
    /** Whether this head may return a direction. */
    direction_passed: boolean;
    /** Smallest probability that is marked if the request names none; null: the head then never gives a mark. */
    decision_threshold: number | null;
  }[];
  /** Lengths of bars and horizons with a head; others from 10 s to 5 min and from 5 bars to 2 h use the nearest. Empty: no bars. */
  bars: {
    period_s: number;
    horizon_s: number;
    /** As of heads. */
    decision_threshold: number | null;
  }[];
  /** Ticks that suit each horizon, shortest first: what console, commands and clients send by default. */
  window_ticks: {
    /** Longest horizon, in seconds; null: no limit. */
    up_to_s: number | null;
    /** Ticks of a window, the future timestamp not counted. */
    ticks: number;
    /** The same with the memory of a series. */
    with_memory: number;
  }[];
  /** How far the inputs of this version have drifted from its training inputs. */
  drift: {
    /** Number of recent forecasts since this version was loaded, from which the drift is computed. */
    forecasts: number;
    /** Population stability index of each context column against the training rows, largest first: below 0.1 no shift, 0.1 to 0.25 some, above 0.25 a large one. null: no result yet. */
    columns: {
      name: string;
      psi: number;
    }[] | null;
    /** Why there is no result. */
    why: string | null;
  };
  /** Comparison with live forecasts; null: this is not the version of SHADOW_MODEL, or nothing was compared yet. */
  shadow: {
    /** The version that it was compared with. */
    live: string;
    /** Live forecasts that both versions computed, since both were loaded. */
    forecasts: number;
    /** Both marked an opportunity, or neither. */
    agree: number;
    /** Only the live version marked one. */
    only_live: number;
    /** Only this version marked one. */
    only_shadow: number;
    /** The shadow version failed. */
    failed: number;
    /** The shadow version did not run: the service was busy. */
    dropped: number;
    /** Mean absolute difference of the two probabilities; null: there are no forecasts yet. */
    mean_abs_difference: number | null;
  } | null;
  /** The model card, Markdown: data, split, table against the baseline. null: the version has none. */
  card: string | null;
};

export type ModelFilesAnswer = {
  id: string;
  /** The rules of rules.json. */
  ruleset: {
    id: string;
    hash: string;
  };
  /** By name: the content, in base64 for weights.bin, for `openEngine({ version: files })`. */
  files: Record<string, string>;
};

export type RuleSetListAnswer = {
  /** The rule set of the default version. */
  default: string;
  rulesets: {
    id: string;
    version: number;
    about: string;
    /** SHA-256 of the content of the set, hex; equal to the hash in the detail of a forecast. */
    hash: string;
    /** Number of rules. */
    rules: number;
  }[];
};

export type RuleSetAnswer = {
  id: string;
  version: number;
  about: string;
  /** SHA-256 of the content of the set, hex; equal to the hash in the detail of a forecast. */
  hash: string;
  rules: {
    id: string;
    kind: "evidence" | "veto" | "abstain";
    /** With placeholders for numbers: {predicate}, {predicate.number}. */
    text: string;
    /** The predicates that must hold, in words. */
    when: string;
    /** Horizon buckets in which the rule is evaluated. */
    horizons: string[];
    weights: Record<string, number> | null;
    sign: "+" | "-" | null;
    bound: number | null;
    neutral: number | null;
    threshold: number | null;
  }[];
  /** The predicates that the rules use. */
  predicates: {
    name: string;
    about: string;
    unit: string;
  }[];
};

export type LiveAnswer = {
  status: "live";
};

export type ReadyAnswer = {
  status: "ready";
  version: string;
  /** The commit that this build was made of, or unknown. */
  commit: string;
  /** Id of the default model version. */
  model: string;
  backend: string;
  /** Device, versions and SIMD, one line. */
  device: string;
  /** Why each better backend was refused. */
  refused: {
    candidate: string;
    reason: string;
  }[];
};

/** The series is open. */
export type LiveSeriesMessageOpened = {
  type: "opened";
  /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
  series: string;
  forecasts: {
    /** Name of the forecast; default: its horizon. */
    id: string;
    /** How far ahead: 10s, 60s, 5m, 1h, or of bars 3bars; one day at most. */
    horizon: string;
    /** A forecast at the first tick of each multiple of this duration on the clock of the ticks, or `tick`: at each tick. */
    every: string;
    min_move_bps: number | "cost" | null;
    /** Only if the message `open` named one. */
    mark_rate?: number;
    /** Only if the message `open` named one. */
    min_probability?: number;
  }[];
  model: string | null;
  /** Only of a series of bars. */
  bars?: {
    /** open: timestamps are the beginnings of bars; close: their ends. A wrong one lets forecasts see one bar of the future. */
    bar_time: "open" | "close";
    bar_period_ms: number | null;
  };
  limits: {
    series_per_connection: number;
    forecasts_per_series: number;
    /** Forecasts of this connection that wait for their outcome. */
    pending_outcomes: number;
    ticks_per_message: number;
    ticks_kept: number;
    /** Below this number of ticks there is no forecast. */
    least_ticks: number;
  };
};

/** A forecast: the same as that of POST /auth/ti-tick for the same ticks. */
export type LiveSeriesMessageForecast = {
  type: "forecast";
  /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
  series: string;
  /** Name of the forecast; default: its horizon. */
  id: string;
  /** Counts the due forecasts of this id from 0; a skipped one leaves a gap. */
  n: number;
  /** The last tick that the forecast used. */
  last_tick: string;
  /** The same as `last_tick`: its name in earlier releases. */
  timestamp: string;
  /** The future timestamp. */
  future: string;
  /** 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick. */
  trend_identified: 1 | null;
  /** identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market. */
  status: "identified" | "none" | "abstained";
  probability: number | null;
  decision_threshold: number | null;
  min_move_bps: number | null;
  /** threshold_below_cost: min_move_bps is below the median spread of the window, so such a move does not pay. seen_in_training: the version was trained on these ticks. bar_time_doubtful: as the status of this code. Absent: no note. */
  notes?: ("threshold_below_cost" | "seen_in_training" | "bar_time_doubtful")[];
  /** Empty for a mark. */
  reasons: NullReason[];
  model: string;
  /** With range: one for each level, as sent. */
  range?: RangeBand[];
  /** With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5. */
  above?: ChanceAbove;
  /** Whether prices are reached before the future timestamp. No direction is claimed. */
  touch?: Touch;
  /** Why the memory of the series was not used. Absent: it was, or there is no series. */
  memory_unused?: MemoryReason;
  detail?: ForecastDetail;
};

/** What came true, sent when a tick shows that the future timestamp has passed. */
export type LiveSeriesMessageOutcome = {
  type: "outcome";
  /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
  series: string;
  /** Name of the forecast; default: its horizon. */
  id: string;
  n: number;
  moved: boolean | null;
  move_bps: number | null;
  /** With touch: whether each price was reached, in their order; absent if it is unknown. */
  touched?: boolean[];
  /** With first: the price that was reached first; null: neither; unclear: one bar reached both. */
  first?: number | "unclear" | null;
  /** Why moved is null. session_gap: the market paused; level_changed: its level, as by a split; no_threshold: the window had no threshold; pending_limit: too many outcomes were pending. */
  reason?: "session_gap" | "level_changed" | "no_threshold" | "pending_limit";
};

/** The running score. */
export type LiveSeriesMessageScore = {
  type: "score";
  /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
  series: string;
  scores: LiveScore[];
};

/** What the connection should know. */
export type LiveSeriesMessageStatus = {
  type: "status";
  /** warming_up: the series has too few ticks for a forecast. bar_period: the length of the bars was measured. bar_time_doubtful: after 5 days or more, the clock says that bar_time is wrong; detail has the evidence. skipped: forecasts were not made. going_away: the service stops; connect again. */
  code: "warming_up" | "bar_period" | "bar_time_doubtful" | "skipped" | "going_away";
  bar_period_ms?: number;
  detail: string;
  /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
  series?: string;
  /** Forecasts skipped since the last status, by reason: `slow_consumer` or the code of the error, such as `limit.exceeded` or `inference.overloaded`. */
  skipped?: Record<string, number>;
};

export type LiveSeriesMessage = LiveSeriesMessageOpened | LiveSeriesMessageForecast | LiveSeriesMessageOutcome | LiveSeriesMessageScore | LiveSeriesMessageStatus;

export type LiveCopy = {
  /** Names the connection: two of them may have series of one name. */
  source: string;
  /** An `opened`, `forecast`, `outcome`, `score` or `status` message as that connection got it; or `price` (`series`, `last_tick`, `price`): the last tick, or `closed` (`series`). `opened` may come again, and scores come every 2 s. */
  message: LiveSeriesMessageOpened | LiveSeriesMessageForecast | LiveSeriesMessageOutcome | LiveSeriesMessageScore | LiveSeriesMessageStatus | {
    type: "price";
    /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
    series: string;
    /** The last tick of the series. */
    last_tick: string;
    /** The same as `last_tick`: its name in earlier releases. */
    timestamp: string;
    price: number;
  } | {
    type: "closed";
    /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
    series: string;
  };
};

export type LiveServerMessage = LiveSeriesMessageOpened | LiveSeriesMessageForecast | LiveSeriesMessageOutcome | LiveSeriesMessageScore | LiveSeriesMessageStatus | {
  type: "watched";
  copies: LiveCopy[];
  /** Copies that were not sent since the last `watched` message. */
  dropped: number;
} | {
  type: "error";
  message: string | null;
  /** Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : - */
  series?: string;
  code: "request.malformed_http" | "request.malformed_json" | "request.duplicate_key" | "request.timeout" | "request.too_large" | "request.media_type_unsupported" | "request.encoding_unsupported" | "request.invalid" | "request.headers_too_large" | "route.not_found" | "route.method_not_allowed" | "request.host_refused" | "cors.origin_refused" | "auth.key_refused" | "auth.password_refused" | "limit.exceeded" | "account.unknown" | "account.too_many_keys" | "key.unknown" | "session.origin_refused" | "session.link_refused" | "session.unknown" | "account.too_many_webhooks" | "webhook.unknown" | "account.too_many_markets" | "market.exists" | "market.unknown" | "account.email_taken" | "account.signup_closed" | "account.busy" | "model.unknown" | "rules.unknown" | "service.not_ready" | "store.unavailable" | "inference.overloaded" | "inference.deadline" | "inference.failed" | "internal.unexpected" | "settings.invalid" | "command.invalid" | "server.cannot_listen" | "server.unreachable" | "runtime.refused" | "native.not_possible" | "native.step_failed" | "model.refused" | "model.not_promotable" | "model.no_way_back" | "model.registry_busy" | "rules.refused" | "store.refused" | "accounts.conflict" | "backup.refused" | "file.unreadable" | "file.unwritable" | "feed.failed" | "file.malformed" | "training.too_little_data" | "training.diverged" | "training.stopped";
  title: string;
  status: number;
  detail: string;
  /** Equal to the X-Request-Id header; quote it to the operator. */
  requestId: string;
  /** Equal to the Retry-After header, which the items of a batch cannot have. */
  retryAfterSeconds?: number;
  /** The broken rules, for request.invalid. */
  errors?: {
    /** JSON Pointer into the body, or ?name for a query parameter. */
    pointer: string;
    code: "body.not_object" | "field.missing" | "field.unknown" | "field.wrong_type" | "field.too_short" | "field.too_long" | "field.malformed" | "field.out_of_range" | "message.type_unknown" | "series.unknown" | "series.other_kind" | "series.already_open" | "series.too_many" | "forecast.id_repeated" | "forecasts.too_few" | "forecasts.too_many" | "items.too_few" | "items.too_many" | "ticks.empty" | "ticks.too_few" | "ticks.too_many" | "ticks.lengths_differ" | "bars.range_broken" | "bars.no_period" | "bars.period_out_of_range" | "bars.ranges_differ" | "bar_time.required" | "timestamp.malformed" | "timestamp.not_a_time" | "timestamp.out_of_range" | "timestamp.offset_unsupported" | "timestamp.epoch_malformed" | "timestamp.step_back" | "timestamp.not_increasing" | "timestamp.future_not_later" | "price.not_finite" | "price.not_positive" | "price.too_large" | "price.future_not_zero" | "email.malformed" | "email.reserved" | "password.too_short" | "password.too_long" | "password.not_confirmed" | "company_id.too_long" | "key_name.length" | "expires_at.malformed" | "expires_at.out_of_range" | "webhook.url_refused" | "webhook.event_unknown" | "market.exchange_unknown" | "query.unknown" | "query.repeated" | "query.malformed" | "query.without_bars" | "horizon_bars.out_of_range" | "min_move_bps.out_of_range" | "min_move_bps.cost_unknown" | "min_probability.out_of_range" | "mark_rate.out_of_range" | "range.out_of_range" | "above.out_of_range" | "touch.out_of_range" | "mark_rate.with_probability";
    /** Names the field, the rule and the value. */
    detail: string;
    /** How to fix it. */
    hint: string;
  }[];
};
