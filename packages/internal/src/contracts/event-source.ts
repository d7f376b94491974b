import type { Disposable } from './disposable.js';
/** Sends events to listeners. An error of a listener becomes a process warning. */
export interface EventSource<Events> {
  /** Calls `listener` after each event of that name, until the returned object is disposed or the source closes. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Disposable;
}
