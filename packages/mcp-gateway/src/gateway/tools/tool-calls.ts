import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';
import type { ClientParts } from '../client-parts.js';
import type { ClientRequest } from '../client-request.js';
import { withTask } from '../tasks/task-methods.js';
import type { UpstreamResult } from '../upstream.js';
import { calledTool, recordLimited } from './called-tool.js';
import { answerToolCall } from './tool-answer.js';

export interface ToolCallParams {
  readonly name: string;
  readonly arguments?: ToolArguments | undefined;
  /** Of the revision 2025-11-25: the client wants a task. */
  readonly task?: unknown;
}

/** Answers `tools/call`. */
export class ToolCalls {
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** @returns The result, or what is needed before there can be one: `resultType` is `input_required` then. */
  async call(params: ToolCallParams, context: ClientRequest): Promise<CallToolResult | UpstreamResult> {
    const { core, answering, bridge } = this.#parts;
    const audience = this.#parts.audience();
    const called = calledTool(audience, params);
    const upstream = core.upstreams.servers().find(({ name }) => name === called?.server);
    const { name, arguments: args = {} } = params;
    const asked = { method: 'tools/call', name, args, upstream, isAllowed: called !== undefined };
    // The model is the one to decide what to do about a server that is not there.
    const onFailure = (error: unknown) => answering.reportFailure(error, context, upstream);
    const work = () => {
      const asTask = (raw: ToolCallResult) => this.#takeTask(raw, { params, tool: called }, context);
      const send = (options: CallToolOptions) =>
        answerToolCall(audience.view, params, { options: withTask(options, params, upstream), onFailure, asTask });
      return bridge.run(asked, context, send);
    };
    return answering.run(context, upstream, work, () => called && recordLimited(audience, called, params));
  }

  #takeTask(
    result: ToolCallResult,
    { params, tool }: { readonly params: ToolCallParams; readonly tool: ToolView | undefined },
    { mcpReq }: ClientRequest,
  ): CallToolResult | undefined {
    const { tasks, results } = this.#parts;
    const mayBeTask = result.resultType === 'task' || params.task !== undefined;
    const told = tool && mayBeTask ? tasks.take(result, tool) : undefined;
    return told && results.keep(mcpReq.id, told);
  }
}
