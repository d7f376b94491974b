import type { ToolCallResult } from '@x/internal/contracts';
import { READ_RESULT_TOOL_NAME, SOURCE_PREFIX } from '@x/internal/names';
import { compareText, quote } from '@x/internal/text';
import { PEEK, peekTools, type ToolView, ViewDecorator } from '@x/internal/views';
import { GatewayError } from '../../errors.js';
import type { RegistryView } from '../../registry.js';

/**
 * The tools of servers for another gateway, which adds its own prefix and has its own search. The names without
 * `mcp__` are as distinct as the public ones.
 */
export class NestedTools extends ViewDecorator<RegistryView> {
  override list(): readonly ToolView[] {
    return nestedListing(this.inner.list());
  }

  override [PEEK](): readonly ToolView[] {
    return nestedListing(peekTools(this.inner));
  }

  override get(name: string): ToolView | undefined {
    const tool = this.inner.get(publicNameOf(name));
    return tool && isNested(tool) ? { ...tool, name } : undefined;
  }

  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    if (this.get(name) !== undefined) return this.inner.call(publicNameOf(name), ...request);
    throw new GatewayError('unknown-tool', `There is no tool named ${quote(name)}`, { tool: name });
  }
}

/** Previews of this gateway are read here: the other gateway does not have their results. */
function isNested({ server, name }: ToolView): boolean {
  return server !== undefined || name === READ_RESULT_TOOL_NAME;
}

function publicNameOf(name: string): string {
  return name === READ_RESULT_TOOL_NAME ? name : SOURCE_PREFIX + name;
}

const listings = new WeakMap<readonly ToolView[], readonly ToolView[]>();

/** Computed once per snapshot. */
function nestedListing(tools: readonly ToolView[]): readonly ToolView[] {
  const known = listings.get(tools);
  if (known !== undefined) return known;
  const nested = tools
    .filter(isNested)
    .map((tool) =>
      tool.server === undefined ? tool : Object.freeze({ ...tool, name: tool.name.slice(SOURCE_PREFIX.length) }),
    )
    .sort((left, right) => compareText(left.name, right.name));
  listings.set(tools, Object.freeze(nested));
  return nested;
}
