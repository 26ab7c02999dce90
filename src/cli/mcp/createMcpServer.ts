import { McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import { sampleRequest, type OpenForecaster } from '../../app/openForecaster.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { TickForecast } from '../../forecast/Forecaster.ts';
import { suitableTicks, USUAL_TICKS } from '../../model/suitableTicks.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { seenInTraining, touches } from '../files/seenInTraining.ts';
import { liveInput, replayLive } from './liveTool.ts';
import { readTrackRecord, trackRecordInput, type RecordSource } from './trackRecordTool.ts';
import { readInput, forecastInput, noInput, type ForecastInput } from './toolInputs.ts';

export type McpDeps = {
  readonly version: string;
  /** Opens the forecaster once; later calls return the same one. */
  readonly open: () => Promise<Pick<OpenForecaster, 'forecaster' | 'models'>>;
  /** Absent: the tool track_record says what it needs. */
  readonly record?: RecordSource | undefined;
};

const INSTRUCTIONS =
  'tickmark says whether a trade opportunity is identified at a future time, from the last ticks of one market: a move larger than a threshold, ' +
  'up or down. It gives no direction and promises no profit. null means that none is identified or that the request is outside the range that the model ' +
  'was trained for. This is not investment advice. If the ticks are in a file, use file and horizon, so that they do not pass through the conversation.';

const READ_ONLY = { readOnlyHint: true, openWorldHint: false, idempotentHint: true };

/** A server of the Model Context Protocol with the tools forecast, explain, sample, live and track_record. */
export function createMcpServer({ version, open, record }: McpDeps): McpServer {
  const server = new McpServer({ name: 'tickmark', version }, { instructions: INSTRUCTIONS });
  const ask = async (input: ForecastInput): Promise<{ future: string; forecast: TickForecast }> => {
    const { min_move_bps: minMoveBps, min_probability: minProbability, model: modelId } = input;
    const { request, file } = await readInput(input, async (horizonS) => {
      const { models } = await open();
      const version = models.find(modelId ?? models.defaultId);
      return version === undefined ? USUAL_TICKS : suitableTicks(version.manifest, horizonS);
    });
    const { forecaster, models } = await open();
    const model = models.find(modelId ?? models.defaultId);
    const seen = file === undefined || model === undefined ? [] : await seenInTraining(file, model.manifest);
    const forecast = await forecaster.forecast(request, {
      ...{ detail: true, seenInTraining: touches(seen, request.series) },
      ...(minMoveBps === undefined ? {} : { minMoveBps }),
      ...(minProbability === undefined ? {} : { minProbability }),
      ...(modelId === undefined ? {} : { modelId }),
    });
    return { future: formatTimestamp(request.futureUs), forecast };
  };
  server.registerTool(
    'forecast',
    {
      title: 'Forecast',
      description:
        'Whether a trade opportunity is identified at a future time: trend_identified is 1 or null, with probability and reasons.',
      inputSchema: forecastInput,
      annotations: READ_ONLY,
    },
    (input) =>
      answered(async () => {
        const { future, forecast } = await ask(input);
        const { model, opportunity, reasons, input: read } = forecast.detail ?? {};
        return { future, trend_identified: forecast.mark, opportunity, reasons, notes: read?.notes, model };
      }),
  );
  server.registerTool(
    'explain',
    {
      title: 'Explain a forecast',
      description:
        'The same forecast with its explanation: logits, every rule with its contribution, price levels, the threshold that would change the result, the input.',
      inputSchema: forecastInput,
      annotations: READ_ONLY,
    },
    (input) =>
      answered(async () => {
        const { future, forecast } = await ask(input);
        return { future, trend_identified: forecast.mark, detail: forecast.detail };
      }),
  );
  server.registerTool(
    'sample',
    {
      title: 'Sample request',
      description: '500 generated ticks and a future time 60 s on, ready to pass to forecast: shows the input format.',
      inputSchema: noInput,
      annotations: READ_ONLY,
    },
    () => answered(() => Promise.resolve(sampleRequest())),
  );
  server.registerTool(
    'live',
    {
      title: 'Replay a file as a live series',
      description:
        'Forecasts of the last ticks of a file as they fall due, their outcomes, and the score against the volatility baseline: how right the forecasts would have been.',
      inputSchema: liveInput,
      annotations: READ_ONLY,
    },
    (input) => answered(() => replayLive(input, open)),
  );
  server.registerTool(
    'track_record',
    {
      title: 'Track record',
      description:
        'How right the forecasts of the account were, by day, series and version, against the volatility baseline. Needs a service.',
      inputSchema: trackRecordInput,
      annotations: { ...READ_ONLY, openWorldHint: true },
    },
    (input) => answered(() => readTrackRecord(input, record)),
  );
  return server;
}

/**
 * The result as text, which every client shows, and as structured content. A refusal goes to the model as an error result,
 * so that it can fix its call.
 */
async function answered(run: () => Promise<object>): Promise<CallToolResult> {
  try {
    const value = (await run()) as Record<string, unknown>;
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const problem = { code: error.code, detail: error.message, remedy: error.remedy, errors: error.errors };
    return { content: [{ type: 'text', text: JSON.stringify(problem) }], isError: true };
  }
}
