import { isManagerError, type ManagerErrorCode } from '../../errors.js';
import type { ProcessOwner } from '../../process/process-owner.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { ServerState } from '../state/server-state.js';

/** Failures that a check of the disk can find repaired. */
const missingCodes: ReadonlySet<ManagerErrorCode> = new Set([
  'command-not-found',
  'command-not-executable',
  'directory-not-found',
]);

/** Detects that a missing command was installed after a failed start. */
export class MissingCommand {
  readonly #processes: ProcessOwner;
  /** Checked right after the failure: a script with a missing interpreter does exist. */
  #wasMissing: Promise<boolean> = Promise.resolve(false);

  constructor(processes: ProcessOwner) {
    this.#processes = processes;
  }

  onState(state: ServerState, server: ServerPolicy): void {
    const isMissing = state.phase === 'failed' && isManagerError(state.cause) && missingCodes.has(state.cause.code);
    this.#wasMissing = isMissing ? this.#canStart(server).then((canStart) => !canStart) : Promise.resolve(false);
  }

  async isRepaired(server: ServerPolicy): Promise<boolean> {
    return (await this.#wasMissing) && this.#canStart(server);
  }

  async #canStart({ target }: ServerPolicy): Promise<boolean> {
    return target.type === 'stdio' && this.#processes.canStart(target);
  }
}
