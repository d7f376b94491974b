import type { HostPlatform } from './adapters/host-adapter.js';
import type { HostFileError } from './host-error.js';

/** A host's file as it was found, with all that is needed to plan what becomes of it. */
export interface HostDocument {
  readonly host: string;
  /** The file that exists, or else the one to create. */
  readonly file: string;
  /** The directory that the file has to be in. */
  readonly inside: string;
  readonly platform: HostPlatform;
  readonly project?: string | undefined;
  /** Missing: there is no file. Holds whatever the file holds, secrets too. */
  readonly text?: string | undefined;
  /** Why the text could not be had. */
  readonly fault?: HostFileError | undefined;
  /** Other files of the same host that exist and are not looked at. */
  readonly alsoFound?: readonly string[] | undefined;
  /** The host reads another file by now: what was written here is taken back. */
  readonly isRetired?: true | undefined;
}
