import type { ToolSource } from '@x/internal/contracts';

/** Source of tools that a fleet receives or returns. A managed server fits as is. */
export interface FleetSource extends ToolSource {
  /**
   * Starts a singleton when this node becomes the holder, and before a call that finds the source `stopped`. The call
   * follows at once and must wait for the start. Without this method, the first call starts the source.
   */
  start?(): Promise<unknown>;
  /**
   * Stops a singleton, even while it starts, on nodes that are not the holder. Without this method nothing is stopped;
   * the event `problem` reports a source whose `state` shows it running.
   */
  stop?(): Promise<unknown>;
}
