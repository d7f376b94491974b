import type { Disposable } from './disposable.js';
/** Sends events to listeners. A listener that throws is reported as a warning and does not stop the others. */
export interface EventSource<Events> {
  /** Calls `listener` after each event of that name, until the returned object is disposed or the source closes. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Disposable;
}
