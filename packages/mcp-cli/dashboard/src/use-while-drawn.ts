import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * The value; while the element is out of sight, the last one. For elements with `content-visibility: auto` in long lists:
 * updates then cost only what can be seen.
 */
export function useWhileDrawn<Value>(element: RefObject<Element | null>, value: Value): Value {
  const [isSkipped, setSkipped] = useState(false);
  const kept = useRef(value);
  useEffect(() => {
    const { current } = element;
    const follow = (event: Event) => setSkipped((event as Event & { readonly skipped?: boolean }).skipped === true);
    current?.addEventListener('contentvisibilityautostatechange', follow);
    return () => current?.removeEventListener('contentvisibilityautostatechange', follow);
  }, [element]);
  if (!isSkipped) kept.current = value;
  return kept.current;
}
