/** Inputs are sequence [B,T,F], context [B,C], baseline [B,1] = ln(sigma(600) sqrt(H) / theta); outputs [B,K] logits. */
export type NetworkSpec = {
  readonly steps: number;
  readonly sequenceColumns: number;
  readonly contextColumns: number;
  readonly units: number;
  readonly dense: number;
  readonly adapterRank: number;
  readonly heads: number;
};

/** Output of the network for one row and the head of its horizon bucket; logits before calibration and rules. */
export type NetworkOutput = {
  readonly head: number;
  /** b_h + w_h * baseline, the EWMA logistic inside the network. */
  readonly baselineLogit: number;
  /** Contribution of LSTM and context. Opportunity logit = baselineLogit + residualLogit. */
  readonly residualLogit: number;
  readonly directionLogit: number;
};
