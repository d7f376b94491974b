import type { HostDocument } from '../host-document.js';
import type { HostServer } from '../host-server.js';
import type { VariableValues } from '../variables/host-text.js';
import type { Ownership } from './ownership.js';

/** Input of a plan: the wanted servers and the hosts' files. */
export interface SyncInput {
  /** The wanted servers. Names are unique. */
  readonly ours: readonly HostServer[];
  /** The hosts' files, from `readHostDocuments`. */
  readonly theirs: readonly HostDocument[];
  /** Record of earlier writes, from `readOwnership`. Default: empty. */
  readonly ownership?: Ownership | undefined;
  /** Owner of the entries. A sync removes only entries of its owner. Default `mcpx`. */
  readonly owner?: string | undefined;
  /** Also change and remove entries that another program or the user wrote or edited. Default `false`. */
  readonly force?: boolean | undefined;
  /** Write remote servers through `npx -y mcp-remote` to hosts that do not support them. Default `false`. */
  readonly bridgeRemote?: boolean | undefined;
  /**
   * Variable values for hosts that do not replace variables; written to user files only. If omitted, servers with
   * variables are not written to such hosts.
   */
  readonly writeSecrets?: VariableValues | undefined;
  /**
   * Treatment of literal secrets in project files, which all members of the project can read. `refuse` leaves the
   * server out with an issue; `write` writes it. Secrets are recognized by field name, by format, and as values of
   * variables. Default `refuse`.
   */
  readonly projectSecrets?: 'refuse' | 'write' | undefined;
}
