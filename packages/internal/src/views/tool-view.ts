import type { JsonSchema, ToolAnnotations, ToolSourceState } from '../contracts.js';

/** One tool as the registry shows it. Deeply frozen; the same object until something in it changes. */
export interface ToolView extends ToolIdentity {
  /** Public name, for models and `call()`. Unique in the registry. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** Task support of the tool (`taskSupport`), as the source sent it, unchecked. */
  readonly execution?: unknown;
  /** Further search terms; only native tools have them. */
  readonly keywords?: readonly string[] | undefined;
  /** State of the tool's source; always `running` for a native tool. */
  readonly state: ToolSourceState;
}

/** Role, principal and servers of a view. */
export interface ViewOptions {
  /**
   * A role of `RegistryOptions.roles`; any other one sees nothing. Default: the default role if there is a
   * `principal`, everything if there is none.
   */
  readonly role?: string;
  /** The principal in audit events. Without a `role` and a default role it sees nothing. */
  readonly principal?: string;
  /** Only tools of these servers, as far as the role may use them. Native tools belong to none. Default: all. */
  readonly servers?: readonly string[];
}

/** The identity of a tool. */
export interface ToolIdentity {
  /** The source's name; `undefined` for a native tool. */
  readonly server: string | undefined;
  /** The tool's own name. */
  readonly tool: string;
}

/** The subject of a policy's decision. A `ToolView` is one. */
export type RoleSubject = ToolSubject | PartSubject | ServerSubject | AnySubject;

/** A tool, by its server and its own name. */
export interface ToolSubject extends ToolIdentity {
  readonly kind?: 'tool' | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

/** A server's resource or prompt. A resource template is a resource by its own text. */
export type PartSubject =
  | { readonly kind: 'resource'; readonly server: string; readonly uri: string }
  | { readonly kind: 'prompt'; readonly server: string; readonly prompt: string };

/** All present and future parts of a server: allowed to roles from which nothing of it is hidden. */
export interface ServerSubject {
  readonly kind: 'server';
  readonly server: string;
}

/** Any part of a server: allowed to a role if a rule allows one that the server has or may have. */
export interface AnySubject {
  readonly kind: 'any';
  readonly server: string;
}
