import { isManagerError, type ManagerErrorCode } from '../../errors.js';
import type { ProcessOwner } from '../../process/process-owner.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { ServerState } from '../state/server-state.js';

/** What a look at the disk can find to be right again. */
const missingCodes: ReadonlySet<ManagerErrorCode> = new Set([
  'command-not-found',
  'command-not-executable',
  'directory-not-found',
]);

/** Notices that the command of a server that failed for the lack of it has been installed meanwhile. */
export class MissingCommand {
  readonly #processes: ProcessOwner;
  /** Whether it was really missing right after the failure: a script whose interpreter is missing is there itself. */
  #wasMissing: Promise<boolean> = Promise.resolve(false);

  constructor(processes: ProcessOwner) {
    this.#processes = processes;
  }

  /** To be called when the server has come into `state`. */
  note(state: ServerState, server: ServerPolicy): void {
    const isMissing = state.phase === 'failed' && isManagerError(state.cause) && missingCodes.has(state.cause.code);
    this.#wasMissing = isMissing ? this.#isThere(server).then((isThere) => !isThere) : Promise.resolve(false);
  }

  async isThereAgain(server: ServerPolicy): Promise<boolean> {
    return (await this.#wasMissing) && this.#isThere(server);
  }

  async #isThere({ target }: ServerPolicy): Promise<boolean> {
    return target.type === 'stdio' && this.#processes.isThere(target);
  }
}
