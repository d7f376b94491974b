import type { ControlErrorData } from '../control/control-error.js';

// Messages between parent and worker over their IPC channel.

export type ToWorker =
  /**
   * The first message. `servers`: those that ran when an earlier worker crashed; `auto`: those with `auto_start`.
   * `trusted`: keys of launches with consent from an earlier worker; `undefined`: there was none.
   */
  | {
      readonly type: 'begin';
      readonly servers: readonly string[] | 'auto';
      readonly trusted?: readonly string[] | undefined;
    }
  /** Finish calls in progress, stop every server, exit. */
  | { readonly type: 'drain' }
  /** Exit now. */
  | { readonly type: 'end' }
  | { readonly type: 'reload' };

export type FromWorker =
  /** The config is read and the socket is open; servers may still be starting. */
  | { readonly type: 'ready'; readonly socket: string; readonly token: string }
  /** The worker cannot start until a person changes something. */
  | { readonly type: 'failed'; readonly error: ControlErrorData }
  /** Keys of all launches with consent, for the next worker after a crash. */
  | { readonly type: 'trusted'; readonly keys: readonly string[] }
  /** Servers that run now, for the next worker after a crash. */
  | { readonly type: 'running'; readonly servers: readonly string[] }
  /** The worker is stopping deliberately, so its end is no crash. */
  | { readonly type: 'leaving' };

/** The daemon's report to the process that started it: one line of JSON. */
export type StartReport =
  | { readonly status: 'ready' }
  /** Another daemon was first. */
  | { readonly status: 'held' }
  | { readonly status: 'failed'; readonly error: ControlErrorData };
