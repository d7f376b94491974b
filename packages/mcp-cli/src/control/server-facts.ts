import type { ServerStatus } from '@x/mcp-client-manager';
import type { RequirementTier } from '@x/mcp-config-schema';

// The dashboard's page imports these types, so this file must not need the types of Node.js.

/** A row of the status table: the manager's status and what the config, the system and the fleet add to it. */
export interface ServerRow extends ServerStatus {
  /** Memory of the process group in bytes. Absent while the server does not run, and where the system gives no figure. */
  readonly memoryBytes?: number | undefined;
  /** Strongest requirement that any tool of the config has for the server. */
  readonly requirement?: RequirementTier | undefined;
  /** The fleet runs the server once, on another node; a start here is refused. */
  readonly runsElsewhere?: true;
  /** The launch lacks the user's consent, so every start fails. "mcpx trust" asks for it. */
  readonly waitsForConsent?: true;
  /** File and line of the user's server that this one replaces under the same name. */
  readonly replaces?: string;
}
