import { callListener } from '@x/internal/events';

type Listener<Told> = ((told: Told) => void) | undefined;

/** Wraps a listener so that its own errors do not reach its callers. */
export function guarded<Told>(name: string, listener: Listener<Told>): Listener<Told> {
  return listener && ((told) => callListener(name, () => listener(told)));
}
