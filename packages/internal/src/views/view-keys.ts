import { refusePromise } from '../options.js';
import type { ViewAudit } from './audit-trail.js';
import type { ToolView } from './tool-view.js';

/** Key of a view's audit trail. These are global symbols, because two bundles read them of one view. */
export const AUDIT: unique symbol = Symbol.for('@x/mcp-registry.audit');

export interface Audited {
  readonly [AUDIT]: ViewAudit | undefined;
}

export function auditOf(view: object): ViewAudit | undefined {
  return AUDIT in view ? (view as Audited)[AUDIT] : undefined;
}

/** Key of a view's list without an audit event. */
export const PEEK: unique symbol = Symbol.for('@x/mcp-registry.peek');

export interface Peekable {
  [PEEK](): readonly ToolView[];
}

interface Listing {
  list(): readonly ToolView[];
}

export function peekTools(view: Listing | Peekable): readonly ToolView[] {
  return PEEK in view ? view[PEEK]() : view.list();
}

const byName = new WeakMap<readonly ToolView[], ReadonlyMap<string, ToolView>>();

export function peekTool(view: Listing | Peekable, name: string): ToolView | undefined {
  const tools = peekTools(view);
  const known = byName.get(tools) ?? new Map(tools.map((tool) => [tool.name, tool]));
  byName.set(tools, known);
  return known.get(name);
}

/** Key of the instructions of a view's servers. */
export const INSTRUCTIONS: unique symbol = Symbol.for('@x/mcp-registry.instructions');

/** The instructions of one server. Redacted, and otherwise as it was received. */
export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

export interface Instructing {
  [INSTRUCTIONS](): readonly ServerInstructions[];
}

/** The approved instructions of the servers whose tools are in a view, by name. */
export function instructionsIn(view: object): readonly ServerInstructions[] {
  return INSTRUCTIONS in view ? (view as Instructing)[INSTRUCTIONS]() : [];
}

/** Key of a view's role. */
export const ROLE: unique symbol = Symbol.for('@x/mcp-registry.role');

export interface OfRole {
  readonly [ROLE]: string | undefined;
}

/** The current role of a view: the requested one, or the default role. `undefined`: none. */
export function roleOf(view: object): string | undefined {
  return ROLE in view ? (view as OfRole)[ROLE] : undefined;
}

/** @throws {TypeError} for a promise, a role's name, a list of tools and the like. */
export function requireView(view: unknown): void {
  refusePromise('The view', view);
  const { list, call } = Object(view);
  if (typeof list === 'function' && typeof call === 'function') return;
  throw new TypeError('The view must be a registry, or what its view({ role }) returns');
}
