import type { HostDocument } from '../host-document.js';
import type { HostServer } from '../host-server.js';
import type { VariableValues } from '../variables/host-text.js';
import type { Ownership } from './ownership.js';

/** Input of a plan: the wanted servers and the hosts' files. */
export interface SyncInput {
  /** Wanted servers, with unique names. */
  readonly ours: readonly HostServer[];
  /** The hosts' files, from `readHostDocuments`. */
  readonly theirs: readonly HostDocument[];
  /** Record of earlier writes, from `readOwnership`. Default: empty. */
  readonly ownership?: Ownership | undefined;
  /** A sync removes only entries of its owner. Default `mcpx`. */
  readonly owner?: string | undefined;
  /** Also changes and removes entries that others wrote or edited. Default `false`. */
  readonly force?: boolean | undefined;
  /** Writes remote servers as `npx -y mcp-remote` for hosts that do not support them. Default `false`. */
  readonly bridgeRemote?: boolean | undefined;
  /**
   * Variable values for hosts that do not replace variables, written to user files only. Without them, such hosts do
   * not get servers with variables.
   */
  readonly writeSecrets?: VariableValues | undefined;
  /**
   * Servers with literal secrets in project files, which all members can read: `refuse` leaves them out with an issue,
   * `write` writes them. Secrets are recognized by field name, format, and as values of variables. Default `refuse`.
   */
  readonly projectSecrets?: 'refuse' | 'write' | undefined;
}
