import { fromJsonSchema, McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import type { OpenForecaster } from '../../service/app/openForecaster.ts';
import { sampleRequest } from '../../ticks/sampleRequest.ts';
import { compileBodyChecks, type BodyChecks } from '../../contract/compileBodyChecks.ts';
import { optionsOf } from '../../contract/readOptions.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { TickForecast } from '../../engine/forecast/Forecaster.ts';
import { suitableTicks, USUAL_TICKS } from '../../engine/model/suitableTicks.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { rememberFile } from '../files/rememberFile.ts';
import { seenInTraining, touches } from '../files/seenInTraining.ts';
import { liveInput, replayLive } from './liveTool.ts';
import { readMarkets, readTrackRecord, trackRecordInput, type RecordSource } from './trackRecordTool.ts';
import { readInput, forecastInput, noInput, type ForecastInput, type ToolInput } from './toolInputs.ts';
import { TOOL_OUTPUTS } from './toolOutputs.ts';
import { toolProblem } from './toolProblem.ts';

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
  'was trained for. This is not investment advice. If the ticks are in a file, use file and horizon or horizons, so that they do not pass through the conversation.';

/** A server of the Model Context Protocol with the tools forecast, explain, sample, live, track_record and markets. */
export function createMcpServer({ version, open, record }: McpDeps): McpServer {
  const server = new McpServer({ name: 'tickmark', version }, { instructions: INSTRUCTIONS });
  let checks: BodyChecks | undefined;
  /** One forecast, or `forecasts` for several horizons. */
  const ask = async (input: ForecastInput, shape: (future: string, forecast: TickForecast) => object): Promise<object> => {
    const options = optionsOf(input);
    checks ??= compileBodyChecks();
    const { requests, file } = await readInput(input, checks, async (horizonS) => {
      const { models } = await open();
      const version = models.find(options.model ?? models.defaultId);
      return version === undefined ? USUAL_TICKS : suitableTicks(version.manifest, horizonS);
    });
    const { forecaster, models } = await open();
    const model = models.find(options.model ?? models.defaultId);
    const seen = file === undefined || model === undefined ? [] : await seenInTraining(file, model.manifest);
    const forecasts = await Promise.all(
      requests.map(async ({ horizon, request }) => {
        const forecast = await forecaster.forecast(request, {
          ...{ ...options, detail: true, seenInTraining: touches(seen, request.series) },
          ...(file === undefined || input.memory === 'off' ? {} : await rememberFile(forecaster, model, file, request, options)),
        });
        return { horizon, ...shape(formatTimestamp(request.futureUs), forecast) };
      }),
    );
    return input.horizons === undefined ? forecasts[0] : { forecasts };
  };
  const add = <T>(name: keyof typeof TOOL_OUTPUTS, tool: Tool<T>): void => {
    const { title, description, input, openWorld = false, run } = tool;
    const outputSchema = fromJsonSchema<Record<string, unknown>>(JSON.parse(JSON.stringify(TOOL_OUTPUTS[name])) as Record<string, unknown>);
    const annotations = { readOnlyHint: true, openWorldHint: openWorld, idempotentHint: true };
    server.registerTool(name, { title, description, inputSchema: input.shown, outputSchema, annotations }, (args: T) =>
      answered(async () => run(input.check(args))),
    );
  };
  add('forecast', {
    title: 'Forecast',
    description:
      'Whether a trade opportunity is identified at a future time: trend_identified is 1 or null, with probability and reasons. With horizons, one answer for each.',
    input: forecastInput,
    run: (input) =>
      ask(input, (future, { mark, detail, outlook }) => {
        const { model, opportunity, reasons, input: read } = detail ?? {};
        return { future, trend_identified: mark, opportunity, reasons, notes: read?.notes, model, ...outlook };
      }),
  });
  add('explain', {
    title: 'Explain a forecast',
    description:
      'The same forecast with its explanation: logits, every rule with its contribution, price levels, the threshold that would change the result, the input.',
    input: forecastInput,
    run: (input) => ask(input, (future, { mark, detail }) => ({ future, trend_identified: mark, detail })),
  });
  add('sample', {
    title: 'Sample request',
    description: '500 generated ticks and a future time 60 s on, ready to pass to forecast: shows the input format.',
    input: noInput,
    run: async () => sampleRequest(),
  });
  add('live', {
    title: 'Replay a file as a live series',
    description:
      'Forecasts of the last ticks of a file as they fall due, their outcomes, and the score against the volatility baseline: how right the forecasts would have been.',
    input: liveInput,
    run: (input) => replayLive(input, open),
  });
  add('track_record', {
    title: 'Track record',
    description:
      'How right the forecasts of the account were, by day, series and version, against the volatility baseline. Needs a service.',
    input: trackRecordInput,
    openWorld: true,
    run: (input) => readTrackRecord(input, record),
  });
  add('markets', {
    title: 'Watched markets',
    description:
      'The markets that the service watches for the account: state, price, and of each horizon the last forecast and the score. Needs a service.',
    input: noInput,
    openWorld: true,
    run: () => readMarkets(record),
  });
  return server;
}

type Tool<T> = {
  readonly title: string;
  readonly description: string;
  readonly input: ToolInput<T>;
  /** Whether it asks a service. */
  readonly openWorld?: boolean;
  readonly run: (input: T) => Promise<object>;
};

/**
 * The result as text, which every client shows, and as structured content. A refusal goes to the model as an error result,
 * so that it can fix its call.
 */
async function answered(run: () => Promise<object>): Promise<CallToolResult> {
  try {
    const text = JSON.stringify(await run());
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as Record<string, unknown> };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { content: [{ type: 'text', text: JSON.stringify(toolProblem(error)) }], isError: true };
  }
}
