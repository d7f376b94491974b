import type { ToolAnnotations } from '../contracts/tool-source.js';

/** Which tool is meant: two fields, never one text that would have to be split. */
export interface ToolIdentity {
  /** The source's name; `undefined` for a native tool. */
  readonly server: string | undefined;
  /** The tool's own name. */
  readonly tool: string;
}

/** What a policy is asked about. A `ToolView` is one as it stands. */
export type RoleSubject = ToolSubject | PartSubject | ServerSubject | AnySubject;

/** A tool, by its server and its own name. */
export interface ToolSubject extends ToolIdentity {
  readonly kind?: 'tool' | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

/** What a server offers beside tools. A template of resources is a resource by its own text. */
export type PartSubject =
  | { readonly kind: 'resource'; readonly server: string; readonly uri: string }
  | { readonly kind: 'prompt'; readonly server: string; readonly prompt: string };

/** Everything that a server has and will have: allowed to those from whom nothing of it is kept back. */
export interface ServerSubject {
  readonly kind: 'server';
  readonly server: string;
}

/** Anything of a server: allowed to a role if a rule allows it a tool, resource or prompt that the server has or may have. */
export interface AnySubject {
  readonly kind: 'any';
  readonly server: string;
}
