import type { ToolAnnotations } from '../contracts/tool-source.js';

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
