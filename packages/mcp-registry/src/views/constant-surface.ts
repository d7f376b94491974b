import type { CallToolOptions, EventSource, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { CALL_TOOL_NAME, SEARCH_TOOL_NAME } from '../catalog/public-name.js';
import { type ToolView, toToolView } from '../catalog/tool-view.js';
import type { ChangesOptions } from '../changes.js';
import { isRegistryError } from '../errors.js';
import type { RegistryEvents, ToolsChange } from '../events.js';
import { SEARCH_TOOL, toErrorPayload } from '../search/search-tool.js';
import { CALL_TOOL_VIEW, readCallRequest } from './call-mcp-tool.js';
import { PEEK, peekTools } from './peek-tools.js';
import type { RegistryView } from './view.js';
import { ViewDecorator } from './view-decorator.js';

const SEARCH_TOOL_VIEW = toToolView(SEARCH_TOOL.definition, {
  name: SEARCH_TOOL_NAME,
  server: undefined,
  state: 'running',
});
const PAIR: readonly ToolView[] = Object.freeze([CALL_TOOL_VIEW, SEARCH_TOOL_VIEW]);
const NOTHING: readonly ToolView[] = Object.freeze([]);

/**
 * The same tools behind a listing that never changes: `search_mcp_tools` to find them and `call_mcp_tool` to call
 * them, byte for byte the same whatever the view holds, so that what a model's provider keeps of a prompt stays good.
 * Searching, reading and calling by name go through `view` and allow what it allows. `tools-changed` never happens.
 */
export function createConstantSurface(view: RegistryView): RegistryView {
  return new ConstantSurface(view);
}

/** Also calls tools by name, through `call_mcp_tool`, for everybody who may use anything. */
export class CallByName extends ViewDecorator {
  override get(name: string): ToolView | undefined {
    if (name !== CALL_TOOL_NAME) return this.inner.get(name);
    return this.inner.get(SEARCH_TOOL_NAME) === undefined ? undefined : CALL_TOOL_VIEW;
  }

  override call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    return name === CALL_TOOL_NAME ? this.#callByName(args, options) : this.inner.call(name, args, options);
  }

  /**
   * A mistake in the request becomes a result that the model sees: the protocol's error for a tool that does not exist
   * would be about `call_mcp_tool`, which does.
   */
  async #callByName(request: unknown, options: CallToolOptions): Promise<ToolCallResult> {
    try {
      const { name, args } = readCallRequest(request);
      return await this.inner.call(name, args, options);
    } catch (error) {
      // Where nothing is shown, this tool is unknown like any other.
      if (isUnknownTool(error) && this.get(CALL_TOOL_NAME) === undefined) return this.inner.call(CALL_TOOL_NAME);
      if (isMistake(error)) return toErrorPayload(error);
      throw error;
    }
  }
}

class ConstantSurface extends CallByName {
  override get revision(): number {
    return 0;
  }

  override get events(): EventSource<RegistryEvents> {
    const { events } = this.inner;
    return {
      on: (name, listener) =>
        name === 'tools-changed' ? { [Symbol.dispose]: () => undefined } : events.on(name, listener),
    };
  }

  /** The pair, for everybody who may use anything. */
  override list(): readonly ToolView[] {
    return this.inner.list().some(({ name }) => name === SEARCH_TOOL_NAME) ? PAIR : NOTHING;
  }

  override [PEEK](): readonly ToolView[] {
    return peekTools(this.inner).some(({ name }) => name === SEARCH_TOOL_NAME) ? PAIR : NOTHING;
  }

  override changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    const changes = this.inner.changes(options);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      /** Waits for the end and passes on nothing before it. */
      async next() {
        for (;;) {
          const step = await changes.next();
          if (step.done) return step;
        }
      },
      return: () => changes.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    };
  }
}

function isUnknownTool(error: unknown): boolean {
  return isRegistryError(error) && error.code === 'unknown-tool';
}

function isMistake(error: unknown): boolean {
  return isRegistryError(error) && (error.code === 'unknown-tool' || error.code === 'invalid-arguments');
}
