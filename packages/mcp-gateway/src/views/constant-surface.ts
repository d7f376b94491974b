import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { CALL_TOOL_NAME, SEARCH_TOOL_NAME } from '@x/internal/names';
import { CALL_TOOL_VIEW, callByName, PEEK, peekTools, type ToolView, ViewDecorator } from '@x/internal/views';
import type { RegistryView, ViewEvents } from './view.js';

/** Also calls tools by name, through `call_mcp_tool`, for callers that may use anything. */
export class CallByName extends ViewDecorator<RegistryView> {
  override get(name: string): ToolView | undefined {
    if (name !== CALL_TOOL_NAME) return this.inner.get(name);
    return this.inner.get(SEARCH_TOOL_NAME) === undefined ? undefined : CALL_TOOL_VIEW;
  }

  override call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    return name === CALL_TOOL_NAME ? callByName(this.inner, args, options) : this.inner.call(name, args, options);
  }
}

/** The tools of a view behind a constant listing: `search_mcp_tools` to find them, `call_mcp_tool` to call them. */
export class ConstantSurface extends CallByName {
  override get events(): ViewEvents {
    const { events } = this.inner;
    return {
      on: (name, listener) =>
        name === 'tools-changed' ? { [Symbol.dispose]: () => undefined } : events.on(name, listener),
    };
  }

  override list(): readonly ToolView[] {
    return pairOf(this.inner.list());
  }

  override [PEEK](): readonly ToolView[] {
    return pairOf(peekTools(this.inner));
  }
}

const NOTHING: readonly ToolView[] = Object.freeze([]);
const pairs = new WeakMap<ToolView, readonly ToolView[]>();

/** The pair, for callers that may use anything. */
function pairOf(tools: readonly ToolView[]): readonly ToolView[] {
  const search = tools.find(({ name }) => name === SEARCH_TOOL_NAME);
  if (search === undefined) return NOTHING;
  const pair = pairs.get(search) ?? Object.freeze([CALL_TOOL_VIEW, search]);
  pairs.set(search, pair);
  return pair;
}
