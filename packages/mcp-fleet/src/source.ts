import type { ToolSource } from '@x/internal/contracts';

/** Anything whose tools a fleet offers to other nodes, and what it offers of theirs. A managed server fits as it stands. */
export interface FleetSource extends ToolSource {
  /**
   * Starts what the source runs. Called only for a source of which the fleet runs one: when this node becomes the one to
   * run it, and before a call that finds it `stopped`. That call is made at once, so it has to wait for the start by
   * itself. Left out, the source starts with its first call, or has nothing to start.
   */
  start?(): Promise<unknown>;
  /**
   * Stops what the source runs, also while it starts. Called only for a source of which the fleet runs one, wherever
   * this node is not the one to run it. Left out, it has nothing to stop: a source that says by its `state` that it runs
   * all the same is told of by the event `problem`.
   */
  stop?(): Promise<unknown>;
}
