import { useRef, useState } from 'preact/hooks';
import type { CallView } from '../../../src/dashboard/page-messages.js';

interface HeldCalls {
  readonly calls: readonly CallView[];
  readonly isHeld: boolean;
  /** Number of calls since the list is held. */
  readonly missed: number;
  /** Properties of the element that has the list. It must stay while the list has no rows. */
  readonly holder: Readonly<
    Record<'onPointerEnter' | 'onPointerLeave' | 'onFocusIn' | 'onFocusOut', (event: Event) => void>
  >;
}

/**
 * The calls as they were when the pointer or the focus entered the holder, with their later outcomes: at 100 calls a
 * second, a row would move away before a click.
 */
export function useHeldCalls(calls: readonly CallView[]): HeldCalls {
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const isHeld = hasPointer || hasFocus;
  const held = useRef(calls);
  held.current = isHeld ? withOutcomes(held.current, calls) : calls;
  return {
    calls: held.current,
    isHeld,
    missed: Math.max(0, newestId(calls) - newestId(held.current)),
    holder: {
      onPointerEnter: () => setPointer(true),
      onPointerLeave: () => setPointer(false),
      onFocusIn: () => setFocus(true),
      onFocusOut: () => setFocus(false),
    },
  };
}

/** The same list while nothing in it changed. */
function withOutcomes(held: readonly CallView[], calls: readonly CallView[]): readonly CallView[] {
  const latest = new Map(calls.map((call) => [call.id, call]));
  const updated = held.map((call) => latest.get(call.id) ?? call);
  return updated.some((call, index) => call !== held[index]) ? updated : held;
}

function newestId(calls: readonly CallView[]): number {
  return calls.reduce((newest, { id }) => Math.max(newest, id), 0);
}

/** The call with this id, also after 200 others have replaced it in the list. */
export function useOpenedCall(calls: readonly CallView[], id: string | undefined): CallView | undefined {
  const opened = useRef<CallView | undefined>(undefined);
  const known = calls.find((call) => String(call.id) === id) ?? opened.current;
  opened.current = String(known?.id) === id ? known : undefined;
  return opened.current;
}
