import type { ToolSource } from '@x/internal/contracts';

/**
 * Source whose tools a fleet offers to other nodes, and the form of the sources it returns. A managed server fits as
 * is.
 */
export interface FleetSource extends ToolSource {
  /**
   * Starts the source. Called only for singletons: when this node becomes the holder, and before a call that finds the
   * source `stopped`. The call follows at once, so the source must make it wait for the start. Without this method the
   * source starts with its first call, or needs no start.
   */
  start?(): Promise<unknown>;
  /**
   * Stops the source, even while it starts. Called only for singletons, on nodes that are not the holder. Without this
   * method there is nothing to stop; a source whose `state` shows it running regardless is reported by the event
   * `problem`.
   */
  stop?(): Promise<unknown>;
}
