import type { ControlErrorData } from '../control/control-error.js';

// What parent and worker tell one another over the channel between them.

export type ToWorker =
  /**
   * The first message. `servers`: what ran when an earlier worker crashed; `auto`: what may start by itself. `trusted`: keys
   * of the launches that were agreed to with `MCPX_TRUST=1` while an earlier worker ran; `undefined`: there was none.
   */
  | {
      readonly type: 'begin';
      readonly servers: readonly string[] | 'auto';
      readonly trusted?: readonly string[] | undefined;
    }
  /** Finish what is under way, stop every server, leave. */
  | { readonly type: 'drain' }
  /** Leave now. */
  | { readonly type: 'end' }
  | { readonly type: 'reload' };

export type FromWorker =
  /** The config is read and the socket is open; servers may still be starting. */
  | { readonly type: 'ready'; readonly socket: string; readonly token: string }
  /** It cannot work until a person changes something. */
  | { readonly type: 'failed'; readonly error: ControlErrorData }
  /** Keys of all launches that were agreed to with `MCPX_TRUST=1`, for the next worker should this one crash. */
  | { readonly type: 'trusted'; readonly keys: readonly string[] }
  /** Servers that run now, to be started again should this worker crash. */
  | { readonly type: 'running'; readonly servers: readonly string[] }
  /** It was asked to leave, or has nothing to do any more: its end will be no crash. */
  | { readonly type: 'leaving' };

/** What a starter of the daemon reads from it: one line of JSON. */
export type StartReport =
  | { readonly status: 'ready' }
  /** Another daemon was first. */
  | { readonly status: 'held' }
  | { readonly status: 'failed'; readonly error: ControlErrorData };
