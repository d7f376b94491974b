import { callListener } from '@x/internal/events';

type Listener<Told> = ((told: Told) => void) | undefined;

/** The same listener, whose own errors do not reach its callers. */
export function guarded<Told>(name: string, listener: Listener<Told>): Listener<Told> {
  return listener && ((told) => callListener(name, () => listener(told)));
}
