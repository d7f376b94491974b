import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';
import { peekTool } from '@x/internal/views';
import type { ClientRequest } from '../../server/methods/client-request.js';
import type { ClientParts } from '../client-parts.js';
import { withTask } from '../tasks/task-methods.js';
import type { UpstreamResult } from '../upstream.js';
import { calledTool, recordLimited } from './called-tool.js';
import { answerToolCall } from './tool-answer.js';

export interface ToolCallParams {
  readonly name: string;
  readonly arguments?: ToolArguments | undefined;
  /** Requests a task, in revision 2025-11-25. */
  readonly task?: unknown;
}

export class ToolCalls {
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** A `resultType` of `input_required` means that the client must respond first. */
  async call(params: ToolCallParams, context: ClientRequest): Promise<UpstreamResult> {
    const { core, answering, bridge } = this.#parts;
    const audience = this.#parts.audience();
    const called = calledTool(audience, params);
    const upstream = core.upstreams.servers().find(({ name }) => name === called?.server);
    const { name, arguments: args = {} } = params;
    const asked = { method: 'tools/call', name, args, upstream, isAllowed: called !== undefined };
    // A failure is a result, so that the model can react.
    const onFailure = (error: unknown) => answering.reportFailure(error, context, upstream);
    const work = () => {
      const asTask = (raw: ToolCallResult) => this.#takeTask(raw, { params, tool: called });
      const send = (options: CallToolOptions) =>
        answerToolCall(audience.view, params, {
          options: withTask(options, params, upstream),
          form: { era: context.era, outputSchema: peekTool(audience.view, name)?.outputSchema },
          onFailure,
          asTask,
        });
      return bridge.run(asked, context, send);
    };
    return answering.run(context, upstream, work, () => called && recordLimited(audience, called, params));
  }

  #takeTask(
    result: ToolCallResult,
    { params, tool }: { readonly params: ToolCallParams; readonly tool: ToolView | undefined },
  ): UpstreamResult | undefined {
    const mayBeTask = result.resultType === 'task' || params.task !== undefined;
    return tool && mayBeTask ? this.#parts.tasks.take(result, tool) : undefined;
  }
}
