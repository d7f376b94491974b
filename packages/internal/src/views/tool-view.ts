import type { JsonSchema } from '../contracts/json.js';
import type { ToolAnnotations, ToolSourceState } from '../contracts/tool-source.js';
import type { ToolIdentity } from './subjects.js';

/** One tool as the registry shows it. Frozen all the way down; the same object until something in it changes. */
export interface ToolView extends ToolIdentity {
  /** Public name: what models are given and `call()` takes. Unique in the registry. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** Whether calls may become tasks (`taskSupport`), as the source has sent it; not checked. */
  readonly execution?: unknown;
  /** Further words to be found by; only native tools have them. */
  readonly keywords?: readonly string[] | undefined;
  /** State of the tool's source; always `running` for a native tool. */
  readonly state: ToolSourceState;
}
