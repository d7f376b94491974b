import type { HostDocument } from '../host-document.js';
import type { HostServer } from '../host-server.js';
import type { VariableValues } from '../variables/host-text.js';
import type { Ownership } from './ownership.js';

/** What hosts shall have and what they have: all that a plan is made from. */
export interface SyncInput {
  /** The servers that the hosts shall have. Names are unique. */
  readonly ours: readonly HostServer[];
  /** What the hosts have, from `readHostDocuments`. */
  readonly theirs: readonly HostDocument[];
  /** What was written before, from `readOwnership`. Default: nothing. */
  readonly ownership?: Ownership | undefined;
  /** On whose behalf: only entries of this owner are taken away again. Default `mcpx`. */
  readonly owner?: string | undefined;
  /** Also change and remove entries that somebody else wrote or edited. Default `false`. */
  readonly force?: boolean | undefined;
  /** Write remote servers through `npx -y mcp-remote` where a host cannot hold them. Default `false`. */
  readonly bridgeRemote?: boolean | undefined;
  /**
   * Values of variables, to be written into files of the user (never of a project) for hosts that replace none.
   * Left out, servers with variables are not written to such hosts.
   */
  readonly writeSecrets?: VariableValues | undefined;
  /**
   * What becomes of a server with a secret that is written out, where the file belongs to a project and so to everybody
   * who works on it. `refuse` leaves the server out, with an issue; `write` writes it. A secret is known by the name it
   * stands under, by its shape, or because it was the value of a variable. Default `refuse`.
   */
  readonly projectSecrets?: 'refuse' | 'write' | undefined;
}
