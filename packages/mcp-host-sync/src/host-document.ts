import type { HostPlatform } from './adapters/host-adapter.js';
import type { HostFileError } from './host-error.js';

/** A host's file, as input of a plan. */
export interface HostDocument {
  readonly host: string;
  /** Existing file, or the file to create. */
  readonly file: string;
  /** Directory that must contain the file. */
  readonly inside: string;
  readonly platform: HostPlatform;
  readonly project?: string | undefined;
  /** Missing if there is no file. May contain secrets. */
  readonly text?: string | undefined;
  /** Error of an unreadable file. */
  readonly fault?: HostFileError | undefined;
  /** Other existing files of the host, which are ignored. */
  readonly alsoFound?: readonly string[] | undefined;
  /** True if the host now reads a different file: recorded entries are removed. */
  readonly isRetired?: true | undefined;
}
