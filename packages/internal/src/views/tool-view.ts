import type { JsonSchema } from '../contracts/json.js';
import type { ToolAnnotations, ToolSourceState } from '../contracts/tool-source.js';
import type { ToolIdentity } from './subjects.js';

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
