import { isRecord } from '@x/internal/json';
import type { ToolCallResult } from '@x/mcp-registry';
import type { CallStage, GatewayStages } from './page-messages.js';
import { truncate } from './page-views.js';

/**
 * Key in the `_meta` of a call: `true` asks a gateway of mcpx for the stages of the call there. It answers under the same
 * key in the `_meta` of the result.
 */
const stagesKey = 'mcpx/stages';

/** Of a call, in one gateway. */
export const maxStages = 32;
const maxNameLength = 200;
/** Gateways behind one another that are shown. */
const maxDepth = 3;

type Meta = Readonly<Record<string, unknown>>;

export function asksForStages(meta: Meta | undefined): boolean {
  return meta?.[stagesKey] === true;
}

export function askingForStages(meta: Meta | undefined): Meta {
  return { ...meta, [stagesKey]: true };
}

/** The result without the stages of a gateway, and those stages if they are valid. */
export function takeStages<Result extends ToolCallResult>(
  result: Result,
): { readonly result: Result; readonly gateway?: GatewayStages | undefined } {
  const meta: unknown = result._meta;
  if (!isRecord(meta) || !Object.hasOwn(meta, stagesKey)) return { result };
  const { [stagesKey]: given, ...others } = meta;
  const { _meta: _all, ...rest } = result;
  const without = (Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest) as Result;
  return { result: without, gateway: readStages(given, maxDepth) };
}

/** The result with the stages, for a client that asked. Without addresses of servers. */
export function withStages<Result extends ToolCallResult>(result: Result, { stages, tookMs }: GatewayStages): Result {
  const shown = stages.map(({ host: _host, ...stage }) => stage);
  return { ...result, _meta: { ...result._meta, [stagesKey]: { stages: shown, tookMs } } };
}

/** The stages with those of a gateway in the stage of its server. */
export function withGateway(stages: readonly CallStage[], gateway: GatewayStages | undefined): readonly CallStage[] {
  const at = stages.findLastIndex(({ stage }) => stage === 'server');
  const server = stages[at];
  return server && gateway ? stages.with(at, { ...server, gateway }) : stages;
}

const stageNames: ReadonlySet<unknown> = new Set<CallStage['stage']>(['mcpx', 'queue', 'start', 'server', 'lost']);
const transports: ReadonlySet<unknown> = new Set<CallStage['transport']>(['stdio', 'http', 'in-process']);

/** The value is untrusted: each server can claim to be a gateway. */
function readStages(value: unknown, depth: number): GatewayStages | undefined {
  if (!isRecord(value) || !isTime(value.tookMs, Number.MAX_SAFE_INTEGER) || !Array.isArray(value.stages)) {
    return undefined;
  }
  const { tookMs } = value;
  const stages: CallStage[] = [];
  let before = 0;
  for (const each of value.stages.slice(0, maxStages) as readonly unknown[]) {
    if (!isRecord(each) || !stageNames.has(each.stage) || !isTime(each.atMs, tookMs) || each.atMs < before) return;
    const { stage, atMs, server, transport } = each;
    before = atMs;
    const gateway = stage === 'server' && depth > 1 ? readStages(each.gateway, depth - 1) : undefined;
    stages.push({
      stage: stage as CallStage['stage'],
      atMs,
      ...(typeof server === 'string' && { server: truncate(server, maxNameLength) }),
      ...(transports.has(transport) && { transport: transport as CallStage['transport'] }),
      ...(gateway && { gateway }),
    });
  }
  return stages.length > 0 ? { stages, tookMs } : undefined;
}

function isTime(value: unknown, max: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= max;
}
