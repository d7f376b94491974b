import type { ToolCallResult } from '@x/internal/contracts';
import { BUILT_IN_TOOLS, READ_RESULT_TOOL_NAME } from '@x/internal/names';
import { compareText, quote } from '@x/internal/text';
import { PEEK, peekTool, peekTools, type ToolView, ViewDecorator } from '@x/internal/views';
import { GatewayError } from '../../errors.js';
import type { RegistryView } from '../../registry.js';
import { withoutFailure } from '../../serving/public-failures.js';
import { rewriteAppLink, rewriteContent, toGatewayUri } from '../naming/gateway-names.js';
import {
  type AudienceNames,
  appItself,
  type Collision,
  collisionOf,
  type NameOwner,
  type NameOwners,
} from '../naming/name-owners.js';

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

/** Read results are no search: every gateway offers them. */
const HIDDEN: ReadonlySet<string> = new Set([...BUILT_IN_TOOLS].filter((name) => name !== READ_RESULT_TOOL_NAME));

interface AsIsListing {
  readonly tools: readonly ToolView[];
  readonly publicNames: ReadonlyMap<string, string>;
  readonly collisions: readonly Collision[];
}

const listings = new WeakMap<NameOwners, WeakMap<readonly ToolView[], AsIsListing>>();

/** Computed once per snapshot and owners. Listing a name assigns its owner. */
function asIsListing(tools: readonly ToolView[], owners: NameOwners): AsIsListing {
  const ofOwners = listings.get(owners) ?? new WeakMap<readonly ToolView[], AsIsListing>();
  listings.set(owners, ofOwners);
  const known = ofOwners.get(tools) ?? makeListing(tools, owners);
  ofOwners.set(tools, known);
  return known;
}

function makeListing(tools: readonly ToolView[], owners: NameOwners): AsIsListing {
  const byName = new Map<string, ToolView[]>();
  for (const tool of tools) {
    if (tool.server === undefined && HIDDEN.has(tool.name)) continue;
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

/** Reports a server that has never listed its tools. Returns one word for clients. */
export type ReportUnlisted = (server: string, cause: unknown) => string;

/** Rewrites resource URIs in results, and links to apps. */
export class PrefixedTools extends ViewDecorator<RegistryView> {
  readonly #report: ReportUnlisted;

  constructor(inner: RegistryView, report: ReportUnlisted) {
    super(inner);
    this.#report = report;
  }

  override list(): readonly ToolView[] {
    return linkedTools(this.inner.list());
  }

  override [PEEK](): readonly ToolView[] {
    return linkedTools(peekTools(this.inner));
  }

  override get(name: string): ToolView | undefined {
    const tool = this.inner.get(name);
    return tool && linkedTool(tool);
  }

  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    const server = peekTool(this.inner, name)?.server;
    let result: ToolCallResult;
    try {
      result = await this.inner.call(name, ...request);
    } catch (error) {
      throw withoutFailure(error, name, this.#report);
    }
    // The app's own tools have no server.
    return server === undefined ? result : rewriteContent(result, (uri) => toGatewayUri({ server, uri }));
  }
}

const linkedLists = new WeakMap<readonly ToolView[], readonly ToolView[]>();
const linked = new WeakMap<ToolView, ToolView>();

/** The same list each time, and the given one without links to apps. */
function linkedTools(tools: readonly ToolView[]): readonly ToolView[] {
  const known = linkedLists.get(tools);
  if (known !== undefined) return known;
  const rewritten = tools.map(linkedTool);
  const list = rewritten.every((tool, index) => tool === tools[index]) ? tools : Object.freeze(rewritten);
  linkedLists.set(tools, list);
  return list;
}

function linkedTool(tool: ToolView): ToolView {
  const { server } = tool;
  if (server === undefined || tool._meta === undefined) return tool;
  const known = linked.get(tool) ?? Object.freeze(rewriteAppLink(tool, (uri) => toGatewayUri({ server, uri })));
  linked.set(tool, known);
  return known;
}

/** The part of an audience that decides about collisions. */
interface NamedView {
  readonly tools: RegistryView;
  readonly names: AudienceNames;
}

/** Reports each tool name of several servers once, while they collide. */
export class ToolCollisions {
  readonly #all: NamedView;
  readonly #report: (collision: Collision) => void;
  readonly #following: Disposable;
  #reported: ReadonlySet<string> = new Set();
  #isWatched = false;

  /** @param all - The audience that may use everything. */
  constructor(all: NamedView, report: (collision: Collision) => void) {
    this.#all = all;
    this.#report = report;
    this.#following = all.tools.events.on('tools-changed', () => this.#refresh());
  }

  /** Later collisions are reported as they arise, even without a listing. */
  current(): readonly Collision[] {
    const collisions = collisionsOf(this.#all);
    this.#reported = namesOf(collisions);
    this.#isWatched = true;
    return collisions;
  }

  reportNew(listed: NamedView): void {
    const news = collisionsOf(listed).filter(({ name }) => !this.#reported.has(name));
    if (news.length === 0) return;
    this.#reported = new Set([...this.#reported, ...namesOf(news)]);
    for (const collision of news) this.#report(collision);
  }

  close(): void {
    this.#following[Symbol.dispose]();
  }

  #refresh(): void {
    // Reading assigns names to their first owners, so it waits until servers have started.
    if (!this.#isWatched && this.#reported.size === 0) return;
    const collisions = collisionsOf(this.#all);
    const told = this.#reported;
    const isTold = ({ name }: Collision) => told.has(name);
    // A name that stops colliding can be reported again.
    this.#reported = namesOf(this.#isWatched ? collisions : collisions.filter(isTold));
    if (!this.#isWatched) return;
    for (const collision of collisions) if (!isTold(collision)) this.#report(collision);
  }
}

function collisionsOf({ tools, names }: NamedView): readonly Collision[] {
  return asIsListing(peekTools(tools), names.tools).collisions;
}

function namesOf(collisions: readonly Collision[]): ReadonlySet<string> {
  return new Set(collisions.map(({ name }) => name));
}
