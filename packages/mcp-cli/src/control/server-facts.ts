import type { ServerStatus } from '@x/mcp-client-manager';
import type { Config, RequirementTier } from '@x/mcp-config-schema';

// The dashboard's page imports these types, so this file must not need the types of Node.js.

/** The manager's status of a server, with facts of the config, the system and the fleet. */
export interface ServerRow extends ServerStatus {
  /** Memory of the process group in bytes. Absent for a stopped server, and where the system reports none. */
  readonly memoryBytes?: number | undefined;
  /** Strongest requirement of any tool for the server. */
  readonly requirement?: RequirementTier | undefined;
  /** The fleet runs the server on another node; a start here is refused. */
  readonly runsElsewhere?: true;
  /** The launch lacks the user's consent, so every start fails. */
  readonly waitsForConsent?: true;
  /** Absolute path of the file with the entry. */
  readonly file?: string | undefined;
  /** File and line of the user's server of the same name that this one replaces. */
  readonly replaces?: string;
}

/** Kind of an event of a server. A word of the daemon's log, and of `mcpx logs --events --json`. */
export type ServerEventKind =
  | 'starting'
  /** After a failure, or because its launch changed or a user requested it. */
  | 'restarting'
  | 'start-failed'
  | 'ready'
  | 'check-failed'
  /** A health check passes again. */
  | 'recovered'
  | 'crashed'
  /** Ended by the daemon: silent for too long, or over its memory limit. */
  | 'failed'
  /** Its tools are not offered until it works again. */
  | 'withdrawn'
  | 'stopped';

/** Strongest first. */
export const tiers = ['required', 'recommended', 'optional'] as const satisfies readonly RequirementTier[];

/** Strongest requirement of any tool for a server. */
export function requirementOf({ tools }: Pick<Config, 'tools'>, server: string): RequirementTier | undefined {
  return tiers.find((tier) => tools.some(({ mcpTools }) => mcpTools[tier].includes(server)));
}
