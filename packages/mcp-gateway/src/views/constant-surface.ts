import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { CALL_TOOL_NAME, SEARCH_TOOL_NAME } from '@x/internal/names';
import { CALL_TOOL_VIEW, callByName, PEEK, peekTools, type ToolView, ViewDecorator } from '@x/internal/views';
import type { RegistryView, ViewEvents } from './view.js';

/** A view that also offers `call_mcp_tool`, if it offers `search_mcp_tools`. */
export class CallByName extends ViewDecorator<RegistryView> {
  override get(name: string): ToolView | undefined {
    if (name !== CALL_TOOL_NAME) return this.inner.get(name);
    return this.inner.get(SEARCH_TOOL_NAME) === undefined ? undefined : CALL_TOOL_VIEW;
  }

  override call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    return name === CALL_TOOL_NAME ? callByName(this.inner, args, options) : this.inner.call(name, args, options);
  }
}

/** Lists only `search_mcp_tools` and `call_mcp_tool`. */
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

function pairOf(tools: readonly ToolView[]): readonly ToolView[] {
  const search = tools.find(({ name }) => name === SEARCH_TOOL_NAME);
  if (search === undefined) return NOTHING;
  const pair = pairs.get(search) ?? Object.freeze([CALL_TOOL_VIEW, search]);
  pairs.set(search, pair);
  return pair;
}
