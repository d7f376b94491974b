import type { ToolCallResult } from '@x/internal/contracts';
import { BUILT_IN_TOOLS } from '@x/internal/names';
import { compareText, quote } from '@x/internal/text';
import { PEEK, peekTools, type ToolView, ViewDecorator } from '@x/internal/views';
import { GatewayError } from '../../errors.js';
import type { RegistryView } from '../../registry.js';
import { appItself, type NameOwner, type NameOwners } from '../naming/name-owners.js';
import { type Collision, collisionOf } from '../parts/collision.js';

/** The tools of a view under their servers' own names, without the registry's built-in tools. */
export class AsIsTools extends ViewDecorator<RegistryView> {
  readonly #owners: NameOwners;

  constructor(inner: RegistryView, owners: NameOwners) {
    super(inner);
    this.#owners = owners;
  }

  override list(): readonly ToolView[] {
    return asIsListing(this.inner.list(), this.#owners).tools;
  }

  override [PEEK](): readonly ToolView[] {
    return asIsListing(peekTools(this.inner), this.#owners).tools;
  }

  override get(name: string): ToolView | undefined {
    const tool = this.inner.get(this.#publicNameOf(name) ?? '');
    return tool && { ...tool, name };
  }

  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    const publicName = this.#publicNameOf(name);
    if (publicName !== undefined) return this.inner.call(publicName, ...request);
    throw new GatewayError('unknown-tool', `There is no tool named ${quote(name)}`, { tool: name });
  }

  #publicNameOf(name: string): string | undefined {
    return asIsListing(peekTools(this.inner), this.#owners).publicNames.get(name);
  }
}

export interface AsIsListing {
  readonly tools: readonly ToolView[];
  readonly publicNames: ReadonlyMap<string, string>;
  readonly collisions: readonly Collision[];
}

const listings = new WeakMap<NameOwners, WeakMap<readonly ToolView[], AsIsListing>>();

/** Computed once per snapshot and owners. Listing a name assigns its owner. */
export function asIsListing(tools: readonly ToolView[], owners: NameOwners): AsIsListing {
  const ofOwners = listings.get(owners) ?? new WeakMap<readonly ToolView[], AsIsListing>();
  listings.set(owners, ofOwners);
  const known = ofOwners.get(tools) ?? makeListing(tools, owners);
  ofOwners.set(tools, known);
  return known;
}

function makeListing(tools: readonly ToolView[], owners: NameOwners): AsIsListing {
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
    const claimants = same.map(({ server }): NameOwner => server ?? appItself);
    const owner = owners.award(name, claimants);
    const tool = same.find(({ server }) => (server ?? appItself) === owner);
    const collision = collisionOf(name, claimants, owner);
    if (collision !== undefined) collisions.push(collision);
    if (tool === undefined) continue;
    publicNames.set(name, tool.name);
    shown.push(Object.freeze({ ...tool, name }));
  }
  owners.trim(byName);
  return {
    tools: Object.freeze(shown.toSorted((left, right) => compareText(left.name, right.name))),
    publicNames,
    collisions,
  };
}
