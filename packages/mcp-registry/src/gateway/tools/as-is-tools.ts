import type { ToolCallResult } from '@x/internal/contracts';
import { compareText } from '../../catalog/compare-text.js';
import { quote } from '../../catalog/diagnostics.js';
import { BUILT_IN_TOOLS } from '../../catalog/public-name.js';
import type { ToolView } from '../../catalog/tool-view.js';
import { RegistryError } from '../../errors.js';
import { PEEK, peekTools } from '../../views/peek-tools.js';
import type { RegistryView } from '../../views/view.js';
import { ViewDecorator } from '../../views/view-decorator.js';
import type { Collision } from '../parts/merge-parts.js';

/** The tools of a view under the names that their servers gave them, without the registry's own. */
export class AsIsTools extends ViewDecorator {
  override list(): readonly ToolView[] {
    return asIsListing(this.inner.list()).tools;
  }

  override [PEEK](): readonly ToolView[] {
    return asIsListing(peekTools(this.inner)).tools;
  }

  override get(name: string): ToolView | undefined {
    const tool = this.inner.get(this.#publicNameOf(name) ?? '');
    return tool && { ...tool, name };
  }

  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    const publicName = this.#publicNameOf(name);
    if (publicName !== undefined) return this.inner.call(publicName, ...request);
    throw new RegistryError('unknown-tool', `There is no tool named ${quote(name)}`, { tool: name });
  }

  #publicNameOf(name: string): string | undefined {
    return asIsListing(peekTools(this.inner)).publicNames.get(name);
  }
}

export interface AsIsListing {
  readonly tools: readonly ToolView[];
  readonly publicNames: ReadonlyMap<string, string>;
  readonly collisions: readonly Collision[];
}

const listings = new WeakMap<readonly ToolView[], AsIsListing>();

/** Made once for each snapshot. */
export function asIsListing(tools: readonly ToolView[]): AsIsListing {
  const known = listings.get(tools) ?? makeListing(tools);
  listings.set(tools, known);
  return known;
}

function makeListing(tools: readonly ToolView[]): AsIsListing {
  const byName = new Map<string, ToolView[]>();
  for (const tool of tools) {
    if (tool.server === undefined && BUILT_IN_TOOLS.has(tool.name)) continue;
    const same = byName.get(tool.tool);
    if (same === undefined) byName.set(tool.tool, [tool]);
    else same.push(tool);
  }
  const publicNames = new Map<string, string>();
  const shown: ToolView[] = [];
  const collisions: Collision[] = [];
  for (const [name, same] of byName) {
    const [tool, ...others] = same;
    if (tool === undefined || others.length > 0) {
      collisions.push({ name, servers: same.map(({ server = 'the app itself' }) => server) });
      continue;
    }
    publicNames.set(name, tool.name);
    shown.push(Object.freeze({ ...tool, name }));
  }
  return {
    tools: Object.freeze(shown.toSorted((left, right) => compareText(left.name, right.name))),
    publicNames,
    collisions,
  };
}
